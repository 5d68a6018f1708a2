"""A graph: nodes in columns, and between them lines as wide as a number, in one colour where it is positive and in
another where it is negative."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.trace import Table
from engine.language.message import _
from engine.views import base, marks, theme
from engine.views.base import Need, View
from engine.views.figure import Figure

COLUMNS = ("from", "to", "x", "y", "to_x", "to_y", "value")
WIDTH, LINE, WIDEST, MOST = 640, 46, 9, 400  # pixels; lines that are drawn


def draw(
    table: Table, *, dark: bool = False, of: str = "", signs: tuple[str, str] = ("for", "against")
) -> Figure:
    """A line a row, from a node at (x, y) to one at (to_x, to_y); the widest are drawn last.

    signs  what the colours mean: of positive and of negative numbers
    """
    whole = table.frame()[list(COLUMNS)].reset_index(drop=True)
    value = whole["value"].to_numpy(float)
    all_N5 = whole[["value", "x", "y", "to_x", "to_y"]].to_numpy(float)
    fine = np.isfinite(all_N5).all(1)
    sound = np.flatnonzero(fine)
    at = sound[np.argsort(np.abs(value[sound]), kind="stable")][-MOST:]
    ends = [whole[list(names)].to_numpy(float)[at] for names in (("x", "y"), ("to_x", "to_y"))]
    names = [[str(one) for one in whole[side].iloc[at]] for side in ("from", "to")]
    places = {
        name: tuple(xy)
        for side, some in zip(names, ends, strict=True)
        for name, xy in zip(side, some.tolist(), strict=True)
    }
    node_N2 = np.array([*places.values()], float).reshape(-1, 2)
    low, high = (node_N2.min(0), node_N2.max(0)) if len(node_N2) else (np.zeros(2), np.ones(2))
    ink, share = theme.ink(dark), np.abs(value[at])
    top = float(share.max(initial=0.0)) or 1.0
    place: dict[str, Any] = {
        axis: {
            "field": axis,
            "type": "quantitative",
            "scale": {
                "domain": [float(low[i]) - 0.4, float(high[i]) + 0.4],
                "nice": False,
                "zero": False,
                "reverse": axis == "y",
            },
            "axis": None,
        }
        for i, axis in enumerate("xy")
    }
    said = [f"{a} → {b}" for a, b in zip(*(map(theme.plain, side) for side in names), strict=True)]
    lines = {
        "x": ends[0][:, 0],
        "y": ends[0][:, 1],
        "x2": ends[1][:, 0],
        "y2": ends[1][:, 1],
        "w": 0.6 + (WIDEST - 0.6) * share / top,
        "g": (value[at] < 0).astype(int),
        "edge": said,
        "written": [base.number(float(v)) for v in value[at]],
    }
    colours = (ink.accent, theme.categories(2, dark)[1])
    used = sorted({int(g) for g in lines["g"]}) or [0]
    colour = {
        "field": "g",
        "type": "ordinal",
        "scale": {"domain": used, "range": [colours[g] for g in used]},
        "legend": {
            "title": None,
            "orient": "top",
            "symbolType": "stroke",
            "labelExpr": marks.label(theme.series(signs)),
        },
    }
    shown = [theme.plain(name, 24) for name in places]
    layers: list[dict[str, Any]] = [
        {
            "data": base.rows(lines),
            "mark": {"type": "rule", "opacity": 0.75, "strokeCap": "round"},
            "encoding": {
                **place,
                "x2": {"field": "x2"},
                "y2": {"field": "y2"},
                "strokeWidth": {
                    "field": "w",
                    "type": "quantitative",
                    "scale": None,
                    "legend": None,
                },
                "color": colour,
                "tooltip": marks.tips(edge="edge", written="value"),
            },
        }
    ]
    nodes: dict[str, Any] = {"x": node_N2[:, 0], "y": node_N2[:, 1], "t": shown}
    layers += [
        {
            "data": base.rows(nodes),
            "mark": {"type": "text", **mark, "fontSize": 13, "fontWeight": 600, "tooltip": None},
            "encoding": {**place, "text": {"field": "t", "type": "nominal"}},
        }
        for mark in (
            {"stroke": ink.page, "strokeWidth": 6, "strokeJoin": "round"},
            {"color": ink.text},
        )
    ]
    rows = round(high[1] - low[1]) + 1
    height = max(120, LINE * rows)
    layers += marks.signs(all_N5[~fine], height, ink)
    strongest = np.argsort(-share, kind="stable")[:12]
    words = _(
        "A graph. {title}. The strongest: {value}.",
        title=_(base.sentence(table.spec.says) or table.spec.name),
        value=_("; ").join(f"{said[i]} ({lines['written'][i]})" for i in strongest)
        or _("Nothing to draw"),
    )
    notes = (
        of,
        _("Drawn are the {most} strongest; the table has all.", most=MOST)
        if len(sound) > MOST
        else "",
        base.tell_unsound(all_N5.ravel()),
    )
    title = base.sentence(table.spec.says) or table.spec.name
    return base.chart(title, notes, layers, whole, words, width=WIDTH, height=height, dark=dark)


VIEW = View("Graph", "What is joined with what, and how strongly?", (Need(columns=COLUMNS),), draw)
