"""Measured scores as bars, each with a mark where its baseline lies."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.trace import Table
from engine.views import base, marks, theme
from engine.views.base import Need, View
from engine.views.figure import Figure

COLUMNS = ("relation", "score", "baseline")
WIDTH, LINE = 420, 26


def draw(table: Table, *, dark: bool = False, of: str = "") -> Figure:
    """One bar per row, in their order; score and baseline are shares."""
    frame, ink = table.frame(), theme.ink(dark)
    score, floor = frame["score"].to_numpy(float), frame["baseline"].to_numpy(float)
    names = [theme.plain(str(name), 60) or "∅" for name in frame["relation"]]
    finite = np.isfinite(score)
    high = (
        max(
            float(score[finite].max(initial=0.0)),
            float(floor[np.isfinite(floor)].max(initial=0.0)),
            0.05,
        )
        * 1.2
    )
    rows = base.rows(
        {
            "row": np.arange(len(frame)),
            "score": np.where(finite, score, 0),
            "baseline": floor,
            "what": [0] * len(frame),
            "mark": [1] * len(frame),
            "name": names,
            "written": [base.number(float(v), True) for v in score],
            "under": [base.number(float(v), True) for v in floor],
        }
    )
    y = {
        "field": "row",
        "type": "ordinal",
        "scale": {"paddingInner": 0.3},
        "axis": {
            "title": "relation",
            "labelExpr": marks.said(names),
            "ticks": False,
            "domain": False,
            "labelOverlap": False,
            "labelLimit": 320,
            "maxExtent": min(330, max(map(base.width_of, names), default=0) + 14),
        },
    }
    x = marks.amounts(
        "share of the reading",
        0,
        high,
        labelExpr="format(datum.value * 100, '~g') + ' %'",
        tickCount=5,
    )
    bars, ticks = (
        marks.series(field, ("score", "baseline"), (ink.accent, ink.text))
        for field in ("what", "mark")
    )
    tooltip = marks.tips(name="relation", written="score", under="baseline")
    layers: list[dict[str, Any]] = [
        {
            "mark": {"type": "bar", "cornerRadius": 1},
            "encoding": {
                "y": y,
                "x": {**x, "field": "score"},
                "color": bars,
                "tooltip": tooltip,
            },
        },
        {
            "mark": {"type": "tick", "thickness": 3, "size": 18},
            "encoding": {
                "y": y,
                "x": {**x, "field": "baseline"},
                "color": ticks,
                "tooltip": tooltip,
            },
        },
        marks.beside(y, x, "score", ink),
    ]
    said = ", ".join(
        f"{name} {base.number(float(a), True)} against {base.number(float(b), True)}"
        for name, a, b in zip(names, score, floor, strict=True)
    )
    title = base.sentence(table.spec.says) or table.spec.name
    return base.chart(
        title,
        (of, base.unsound(score)),
        layers,
        frame,
        f"Bars with a mark at the baseline. {title}. {said}.",
        width=WIDTH,
        height=max(1, LINE * len(frame)),
        dark=dark,
        data=rows,
    )


VIEW = View(
    "Against a baseline",
    "Is it more than chance?",
    (Need(columns=COLUMNS),),
    draw,
    canvas="headtags",
)
