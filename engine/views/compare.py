"""The same next tokens by several methods: one row a method, one column a token, every probability
written in its cell."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.trace import Field, Kind
from engine.language.message import _
from engine.views import base, marks, theme
from engine.views.base import Need, View
from engine.views.figure import Figure

WIDTH, LINE = 760, 30
NARROW = 30  # pixels of a cell below which its number is not written in it


def draw(field: Field, *, seen: int = 0, dark: bool = False, of: str = "") -> Figure:
    """`seen`: how many of the columns, from the left, are of tokens that followed the context; a
    line stands behind them."""
    if field.axis_names == ("next", "method"):
        field = Field(
            base.with_axes(field.spec, ("method", "next")), field.values.T, field.axes[::-1]
        )
    methods, words = field.axes
    values, over = field.values.astype(float), base.drawn_scale(field.spec, field.values)
    flat = values.ravel()
    r, c = (i.ravel() for i in np.indices(values.shape))
    names, shown = base.labels(methods), base.labels(words, 16)
    finite, stops, ends = (
        np.isfinite(flat),
        over.stops(dark),
        [over.low, (over.low + over.high) / 2, over.high],
    )
    ink = (
        np.where(finite, theme.inks(flat, over, dark), theme.ink(dark).text)
        if len(flat)
        else np.zeros(0, object)
    )
    columns = {
        "r": r,
        "c": c,
        "v": flat,
        "method": [names[i] for i in r],
        "word": [shown[i] for i in c],
        "written": [base.number(float(v), True) for v in flat],
        "brief": [_brief(float(v)) for v in flat],
        "ink": ink.tolist(),
    }
    axis = {"ticks": False, "domain": False, "labelOverlap": False, "labelFontSize": 12}
    x = {
        "field": "c",
        "type": "ordinal",
        "scale": {"paddingInner": 0.04, "paddingOuter": 0.02},
        "axis": {
            **axis,
            "title": "next token",
            "orient": "top",
            "labelAngle": -45,
            "labelAlign": "left",
            "labelExpr": marks.label(shown),
        },
    }
    y = {
        "field": "r",
        "type": "ordinal",
        "scale": {"paddingInner": 0.06, "paddingOuter": 0.03},
        "axis": {**axis, "title": None, "labelExpr": marks.label(names)},
    }
    colour = {
        "field": "v",
        "type": "quantitative",
        "scale": marks.smooth(over.low, over.high, stops),
        "legend": {
            "title": base.measure(field.spec),
            "orient": "bottom",
            "gradientLength": 150,
            "values": ends,
            "labelExpr": "format(datum.value * 100, '~g') + ' %'",
        },
    }
    fits = f"width / {max(1, len(words))} > {NARROW} ? 1 : 0"
    layers: list[dict[str, Any]] = [
        {
            "transform": [{"filter": "datum.v !== null"}],
            "mark": {"type": "rect", "cornerRadius": 2},
            "encoding": {
                "x": x,
                "y": y,
                "color": colour,
                "tooltip": marks.tips(
                    method="method", word="next", written=base.measure(field.spec)
                ),
            },
        },
        *(
            {
                "transform": [{"filter": {"field": "ink", "equal": colour_of_words}}],
                "mark": {
                    "type": "text",
                    "baseline": "middle",
                    "fontSize": 10,
                    "tooltip": None,
                    "opacity": {"expr": fits},
                    "color": colour_of_words,
                },
                "encoding": {"x": x, "y": y, "text": {"field": "brief", "type": "nominal"}},
            }
            for colour_of_words in sorted(set(ink.tolist()))
        ),
    ]
    if 0 < seen < len(words):
        layers.append(
            {
                "data": {"values": [{"c": seen - 1}]},
                "mark": {
                    "type": "rule",
                    "color": theme.ink(dark).text,
                    "strokeWidth": 1.5,
                    "xOffset": {"expr": "bandwidth('x') * 0.52"},
                },
                "encoding": {"x": {**x, "field": "c"}},
            }
        )
    best = [
        f"{name} {shown[int(np.nanargmax(row))]} {base.number(float(np.nanmax(row)), True)}"
        for name, row in zip(names, values, strict=True)
        if np.isfinite(row).any()
    ]
    split = (
        _(
            " The first {seen} columns followed the context in the corpus, the others did not.",
            seen=seen,
        )
        if seen
        else ""
    )
    said = _(
        "Table in colour. {spec}. Largest of each: {best}.{split}",
        spec=base.says(field.spec),
        best=_(", ").join(best),
        split=split,
    )
    return base.chart(
        base.says(field.spec),
        (of, base.tell_unsound(values)),
        layers,
        field.frame(),
        said,
        width=WIDTH,
        height=max(1, LINE * len(methods)),
        dark=dark,
        data=base.rows(columns),
    )


def _brief(value: float) -> str:
    """Per cent without its sign, so that it fits in a cell."""
    return (
        base.number(value)
        if not np.isfinite(value)
        else (
            "0"
            if value == 0
            else (
                "<.01"
                if 100 * value < 0.01
                else f"{100 * value:.2g}"
                if value < 0.0995
                else f"{100 * value:.1f}"
            )
        )
    )


VIEW = View(
    "Methods",
    "How much does each method give to unseen words?",
    (Need(("method", "next"), frozenset({Kind.PROBABILITY})),),
    draw,
)
