"""What several readers expect next: a short list of bars each, two side by side."""

from __future__ import annotations

from engine.figure import Figure
from engine.trace import Field, Kind
from engine.views import bars, base
from engine.views.base import Need, View


def draw(*fields: Field, top: int = 8, dark: bool = False, of: str = "") -> Figure:
    """Distributions over `next`, each with its own vocabulary; `says` of a field names its reader."""
    figures = [bars.draw(field, top=top, dark=dark) for field in fields]
    return base.together("What each reader expects next", of, figures, [f.spec.name for f in fields], columns=2, dark=dark)


VIEW = View("Short lists", "Do the readers agree?", (Need(("next",), frozenset({Kind.PROBABILITY}), many=True),), draw, canvas="tops")
