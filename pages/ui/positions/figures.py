"""The figures of the page Positions: curves and grids, of a Transformer, as wide as there is room."""

from __future__ import annotations

from functools import partial
from typing import Any

from engine.core.trace import Field
from pages.ui import plate
from pages.ui.plate import Plate

FIGURE = partial(Plate, model="transformer", fluid=True)
curves = partial(plate.lines, model="transformer", fluid=True, tight=True)


def grid(field: Field, source: str, of: str, id: str = "", **more: Any) -> Plate:
    """A matrix as coloured cells, a field of three axes as several; named after the field."""
    view = "heatmap" if len(field.axes) == 2 else "multiples"
    return FIGURE(id or field.spec.name, view, (field,), source, of, **more)
