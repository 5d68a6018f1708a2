"""Rows of text that break into lines in the browser, at whatever width there is; shared by the
views that colour words.

What      a piece belongs to line floor(b / room) of its row, where b is its right end in pixels and
          room the width left for pieces that begin in a line; Vega computes it, so a saved figure
          breaks anew when it is resized
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.language.message import _
from engine.views import base, theme

X: dict[str, Any] = {"type": "quantitative", "scale": None, "axis": None}


def ends(wide: np.ndarray, row: np.ndarray) -> np.ndarray:
    """Right end in pixels of each piece (N,) in its row, from the widths (N,)."""
    end = np.zeros(len(wide))
    for r in np.unique(row):
        end[row == r] = wide[row == r].cumsum()
    return end


def lines(wide: np.ndarray, gap: float) -> list[dict[str, Any]]:
    """Transforms that place pieces with columns row, a, b (ends) and w (width): line, x, x2 and
    middle.

    gap  how far beyond its last pixel a piece reaches; a piece that just fills a line stays in it
    """
    space = _("max(80, width - {max:.0f})", max=float(wide.max(initial=0.0)) + gap)
    return [
        {"calculate": f"datum.row * 1000 + floor((datum.b - {gap}) / {space})", "as": "line"},
        {"joinaggregate": [{"op": "min", "field": "a", "as": "first"}], "groupby": ["line"]},
        {"calculate": "datum.a - datum.first", "as": "x"},
        {"calculate": "datum.x + datum.w", "as": "x2"},
        {"calculate": "datum.x + datum.w / 2", "as": "middle"},
    ]


def name_rows(texts: list[str], title: str, named: bool = True) -> tuple[list[str], dict[str, Any]]:
    """Names of the rows as drawn, and their axis, which names only the first line of each."""
    names = [theme.plain(t, 24) or "∅" for t in texts]
    room = max(map(base.width_of, names), default=0) + 10
    label = f"datum.value % 1000 == 0 ? {base.listed(names)}[datum.value / 1000] : ''"
    axis = {
        "title": title,
        "labelExpr": label,
        "ticks": False,
        "domain": False,
        "grid": False,
        "labelOverlap": False,
        "labelFontSize": 12,
        "titleLimit": 200,
        "minExtent": room,
        "maxExtent": room,
    }
    scale = {"paddingInner": 0.16, "paddingOuter": 0.1}
    return names, {
        "field": "line",
        "type": "ordinal",
        "scale": scale,
        "axis": axis if named else None,
    }
