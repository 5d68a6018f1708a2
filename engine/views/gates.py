"""Several fields one below the other, each as its wall of small grids: all gates and states of a recurrent net."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.figure import Figure
from engine.trace import Axis, Field
from engine.views import base, multiples
from engine.views.base import Need, View


def draw(*fields: Field, dark: bool = False, of: str = "", units: Sequence[Sequence[int]] | None = None, sorted_by: str = "") -> Figure:
    """Fields with axes (layer, token, unit), in the order given; each has a colour scale of its own kind.

    units  per layer its units from the top down, for the fields that have as many; `sorted_by` says why in this order
    """
    figures = []
    for field in fields:
        if units is None or len(units[0]) != len(field.axis("unit")):
            figures.append(multiples.draw(field, dark=dark))
            continue
        figures.append(multiples.draw(_in_order(field, units), dark=dark))
        frame = figures[-1].frame
        frame["place"] = frame["unit"]
        frame["unit"] = np.asarray(units)[frame["layer"], frame["place"]]
        frame["unit_label"] = frame["unit"].astype(str)
    return base.together("All gates and states", " ".join(filter(None, (of, sorted_by))), figures, [f.spec.name for f in fields], columns=1, dark=dark)


def _in_order(field: Field, units: Sequence[Sequence[int]]) -> Field:
    """Every layer in its own order, so that a row has a place and no longer one unit."""
    values = np.stack([x_TU[:, list(order)] for x_TU, order in zip(field.values, units, strict=True)])
    *others, unit = field.axes
    return Field(field.spec, values, (*others, Axis("unit", tuple(f"place {n + 1}" for n in range(len(unit))))))


VIEW = View("Gates and states", "What does each gate do, unit by unit?", (Need(("layer", "token", "unit"), many=True),), draw, canvas="multiples")
