"""One head as lines: at the left the tokens that look, at the right the tokens looked at, a line as wide as its weight."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.figure import Figure
from engine.trace import Field, Kind
from engine.views import base, theme
from engine.views.base import Need, View

WIDTH, LINE, WIDEST, MOST = 360, 20, 9.0, 48
LEAST = 0.01  # a weight below this has no line


def draw(field: Field, *, dark: bool = False, of: str = "") -> Figure:
    """Axes (query, key).  The last MOST tokens of each are drawn; the table holds all weights."""
    ink, values = theme.ink(dark), field.values.astype(float)
    first = [max(0, n - MOST) for n in values.shape]
    finite = np.where(np.isfinite(values), values, 0.0)
    q, k = np.nonzero(finite[first[0] :, first[1] :] >= LEAST)
    weight = finite[first[0] :, first[1] :][q, k]
    names = [base.labels(axis)[at:] for axis, at in zip(field.axes, first, strict=True)]
    high = LINE * max(1, *map(len, names))
    y: dict[str, Any] = {"type": "quantitative", "scale": {"domain": [high, 0], "nice": False, "zero": False}, "axis": None}
    x: dict[str, Any] = {"type": "quantitative", "scale": {"domain": [0, WIDTH], "nice": False, "zero": False}, "axis": None}
    lines = base.rows({"y": (q + 0.5) * LINE, "y2": (k + 0.5) * LINE, "x": np.full(len(q), 110.0), "x2": np.full(len(q), WIDTH - 110.0), "w": weight,
                       "looks": [names[0][i] for i in q], "at": [names[1][i] for i in k], "written": [base.number(float(w), True) for w in weight]})  # fmt: skip
    widest = {"domain": [0, 1], "range": [0, WIDEST]}
    layers: list[dict[str, Any]] = [
        {
            "data": lines,
            "mark": {"type": "rule", "color": ink.accent},
            "encoding": {
                "x": {**x, "field": "x"}, "x2": {"field": "x2"}, "y": {**y, "field": "y"}, "y2": {"field": "y2"},
                "strokeWidth": {"field": "w", "type": "quantitative", "scale": widest,
                                "legend": {"title": base.measure(field.spec), "values": [0.1, 0.5, 1], "labelExpr": "datum.value * 100 + ' %'"}},
                "opacity": {"field": "w", "type": "quantitative", "scale": {"domain": [0, 1], "range": [0.25, 1]}, "legend": None},
                "tooltip": [{"field": "looks", "type": "nominal"}, {"field": "at", "type": "nominal", "title": "at"}, {"field": "written", "type": "nominal", "title": "weight"}],
            },
        },
        *(
            {
                "data": base.rows({"y": (np.arange(len(words)) + 0.5) * LINE, "x": np.full(len(words), at), "t": words}),
                "mark": {"type": "text", "align": align, "baseline": "middle", "fontSize": 12, "color": ink.text, "tooltip": None},
                "encoding": {"x": {**x, "field": "x"}, "y": {**y, "field": "y"}, "text": {"field": "t", "type": "nominal"}},
            }
            for words, at, align in ((names[0], 102.0, "right"), (names[1], WIDTH - 102.0, "left"))
        ),
    ]  # fmt: skip
    r, c = (i[:MOST] for i in np.nonzero(~np.isfinite(values[first[0] :, first[1] :])))
    if len(r):
        signs = [base.number(float(v)) for v in values[first[0] :, first[1] :][r, c]]
        layers.append({"data": base.rows({"x": np.full(len(r), WIDTH / 2), "y": (r + c + 1) / 2 * LINE, "t": signs}),
                       "mark": {"type": "text", "fontSize": 11, "color": ink.quiet, "tooltip": None},
                       "encoding": {"x": {**x, "field": "x"}, "y": {**y, "field": "y"}, "text": {"field": "t", "type": "nominal"}}})  # fmt: skip
    cut = f"The last {MOST} of {values.shape[0]:,} tokens are drawn." if values.shape[0] > MOST else ""
    small = f"Weights under {base.number(LEAST, True)} have no line."
    best = int(weight.argmax()) if len(weight) else -1
    most = f" The widest: from “{names[0][q[best]]}” to “{names[1][k[best]]}”, {base.number(float(weight[best]), True)}." if best >= 0 else ""
    words = f"{len(weight):,} lines between two columns of tokens. {base.says(field.spec)}.{most}"
    return base.chart(base.says(field.spec), (of, cut, small, base.unsound(values)), layers, field.frame(), words, width=WIDTH, height=high, dark=dark)


VIEW = View("Arcs", "Which token looks at which?", (Need(("query", "key"), frozenset({Kind.ATTENTION})),), draw, canvas="headarcs")
