"""Several fields one below the other, each as its wall of small grids: all gates and states of a recurrent net."""

from __future__ import annotations

from engine.figure import Figure
from engine.trace import Field
from engine.views import base, multiples
from engine.views.base import Need, View


def draw(*fields: Field, dark: bool = False, of: str = "") -> Figure:
    """Fields with axes (layer, token, unit), in the order given; each has a colour scale of its own kind."""
    figures = [multiples.draw(field, dark=dark) for field in fields]
    return base.together("All gates and states", of, figures, [f.spec.name for f in fields], columns=1, dark=dark)


VIEW = View("Gates and states", "What does each gate do, unit by unit?", (Need(("layer", "token", "unit"), many=True),), draw, canvas="multiples")
