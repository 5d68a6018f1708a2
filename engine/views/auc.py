"""Areas under the ROC curve as bars from one half, the chance level: to the right higher where it
holds, to the left lower."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.trace import Table
from engine.views import base, theme
from engine.views.base import Need, View
from engine.views.figure import Figure

COLUMNS = ("word", "value", "q")
WIDTH, LINE, MOST = 520, 24, 40
SERIES = ("found", "may be chance")


def draw(table: Table, *, rate: float = 0.05, dark: bool = False, of: str = "") -> Figure:
    """Rows in the order of the table; `value` is the area, `q` the false discovery rate at which it
    counts as found."""
    frame = table.frame()
    total, frame = len(frame), frame.head(MOST)
    value, ink = frame["value"].to_numpy(float), theme.ink(dark)
    finite = np.isfinite(value)
    end = np.clip(np.where(finite, value, 0.5), 0, 1)
    found = frame["q"].to_numpy(float) <= rate
    names = [theme.plain(str(w), 32) or "∅" for w in frame["word"]]
    rows = base.rows(
        {
            "row": np.arange(len(frame)),
            "half": np.full(len(frame), 0.5),
            "v": end,
            "far": np.maximum(end, 0.5),
            "s": (~found).astype(int),
            "word": names,
            "written": [base.number(float(v)) for v in value],
            "q": [base.number(float(q)) for q in frame["q"]],
        }
    )
    y = {
        "field": "row",
        "type": "ordinal",
        "scale": {"paddingInner": 0.24, "paddingOuter": 0.12},
        "axis": {
            "title": "hypothesis",
            "labelExpr": f"{base.listed(names)}[datum.value]",
            "ticks": False,
            "domain": False,
            "labelFontSize": 12,
            "labelOverlap": False,
            "maxExtent": max(map(base.width_of, names), default=0) + 14,
        },
    }
    x = {
        "type": "quantitative",
        "scale": {"domain": [0, 1.25], "nice": False},
        "axis": {
            "title": "AUC (0.5 is chance)",
            "values": [0, 0.25, 0.5, 0.75, 1],
            "format": ".2~f",
            "domain": False,
            "ticks": False,
        },
    }
    series = [f"{SERIES[0]}, q ≤ {100 * rate:g} %", SERIES[1]]
    colour = {
        "field": "s",
        "type": "ordinal",
        "scale": {"domain": [0, 1], "range": [ink.accent, ink.faint]},
        "legend": {
            "title": None,
            "orient": "top",
            "symbolType": "square",
            "labelExpr": f"{base.listed(series)}[datum.value]",
        },
    }
    tooltip = [
        {"field": "word", "type": "nominal", "title": "hypothesis"},
        {"field": "written", "type": "nominal", "title": "AUC"},
        {"field": "q", "type": "nominal", "title": "q"},
    ]
    layers: list[dict[str, Any]] = [
        {
            "mark": {"type": "bar"},
            "encoding": {
                "y": y,
                "x": {**x, "field": "half"},
                "x2": {"field": "v"},
                "color": colour,
                "tooltip": tooltip,
            },
        },
        {
            "mark": {
                "type": "text",
                "align": "left",
                "baseline": "middle",
                "dx": 6,
                "color": ink.text,
                "tooltip": None,
            },
            "encoding": {
                "y": y,
                "x": {**x, "field": "far"},
                "text": {"field": "written", "type": "nominal"},
            },
        },
        {
            "data": {"values": [{"x": 0.5}]},
            "mark": {"type": "rule", "color": ink.quiet, "tooltip": None},
            "encoding": {"x": {**x, "field": "x"}},
        },
    ]
    title = base.sentence(table.spec.says) or "How well the unit separates each hypothesis"
    cut = f"The first {MOST} of {total} are drawn." if total > MOST else ""
    best = "; ".join(
        f"{names[i]} {base.number(float(value[i]))}" for i in np.flatnonzero(finite)[:3].tolist()
    )
    said = f"Bars from one half. {title}. First: {best or 'nothing to draw'}."
    notes = (of, cut, base.unsound(value))
    return base.chart(
        title,
        notes,
        layers,
        table.frame(),
        said,
        width=WIDTH,
        height=max(1, LINE * len(frame)),
        dark=dark,
        data=rows,
    )


VIEW = View("AUC", "Which hypothesis does the unit separate best?", (Need(columns=COLUMNS),), draw)
