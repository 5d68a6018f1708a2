"""A distribution over the next token, as bars, largest first."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.trace import Field, Kind
from engine.views import base, theme
from engine.views.base import Need, View
from engine.views.figure import Figure

WIDTH, LINE = 460, 24


def draw(field: Field, *, top: int = 20, dark: bool = False, of: str = "") -> Figure:
    """The `top` largest; what is not drawn is said.  Numbers that are not finite come last, as a
    sign without a bar."""
    (axis,) = field.axes
    spec, values, ink, share = (
        field.spec,
        field.values.astype(float),
        theme.ink(dark),
        base.is_share(field.spec),
    )
    order = np.argsort(-np.where(np.isfinite(values), values, -np.inf), kind="stable")[
        : max(1, top)
    ]
    drawn = values[order]
    frame = field.frame().iloc[order].reset_index(drop=True)
    frame.insert(0, "rank", np.arange(1, len(order) + 1))
    names = [theme.visible(str(word)) for word in frame[f"{axis.name}_label"]]
    finite = np.isfinite(drawn)
    low, high = (
        float(min(0.0, drawn[finite].min(initial=0.0))),
        float(drawn[finite].max(initial=0.0)) or 1.0,
    )
    rows = base.rows(
        {
            "rank": np.arange(len(order)),
            "value": drawn,
            "zero": np.zeros(len(order)),
            "end": np.where(finite, np.maximum(drawn, 0), 0),
            "word": names,
            "measure": [base.measure(spec)] * len(order),
            "written": [base.number(float(v), share) for v in drawn],
        }
    )
    y = {
        "field": "rank",
        "type": "ordinal",
        "scale": {"paddingInner": 0.24, "paddingOuter": 0.12},
        "axis": {
            "title": base.axis_title(axis.name),
            "labelExpr": f"{base.listed(names)}[datum.value]",
            "labelAngle": 0,
            "ticks": False,
            "domain": False,
            "labelFontSize": 12,
            "labelOverlap": False,
            "maxExtent": max(map(base.width_of, names), default=0) + 14,
        },
    }
    x = {
        "type": "quantitative",
        "scale": {"domain": [low, high * 1.14], "nice": False},
        "axis": {
            "title": base.measure(spec),
            "tickCount": 5,
            "domain": False,
            "ticks": False,
            **percent_axis(share),
        },
    }
    layers: list[dict[str, Any]] = [
        {
            "mark": {"type": "bar", "cornerRadiusEnd": 2},
            "encoding": {
                "y": y,
                "x": {**x, "field": "zero"},
                "x2": {"field": "value"},
                "color": {
                    "field": "measure",
                    "type": "nominal",
                    "scale": {"domain": [base.measure(spec)], "range": [ink.accent]},
                    "legend": {"title": None, "orient": "top", "symbolType": "square"},
                },
                "tooltip": [
                    {"field": "word", "type": "nominal", "title": axis.name},
                    {"field": "written", "type": "nominal", "title": "value"},
                ],
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
                "x": {**x, "field": "end"},
                "text": {"field": "written", "type": "nominal"},
            },
        },
    ]
    said = f"Top {len(order):,} of {len(axis):,}"
    if len(order) < len(axis) and share:
        said += (
            f"; {base.number(max(0.0, float(np.nansum(values) - np.nansum(drawn))), True)} not"
            " shown"
        )
    elif len(order) < len(axis) and spec.kind is Kind.COUNT:
        said += (
            f"; {np.nansum(values) - np.nansum(drawn):,.0f} of {np.nansum(values):,.0f} occurrences"
            " not shown"
        )
    title = f"{base.says(spec)}: {said[0].lower()}{said[1:]}"
    best = f" Largest: “{names[0]}”, {base.number(float(drawn[0]), share)}." if finite.any() else ""
    return base.chart(
        title,
        (of, base.unsound(values)),
        layers,
        frame,
        f"Bars. {base.says(spec)}. {said}.{best}",
        width=WIDTH,
        height=LINE * len(order),
        dark=dark,
        data=rows,
    )


def percent_axis(share: bool) -> dict[str, Any]:
    return (
        {"labelExpr": "format(datum.value * 100, '~g') + ' %'"}
        if share
        else {"labelExpr": "format(datum.value, '~g')"}
    )


VIEW = View(
    "Bars",
    "What does the model predict?",
    (Need(("next",)), Need(1)),
    draw,
    canvas="bars",
)
