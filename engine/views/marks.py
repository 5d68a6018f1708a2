"""Marks: what several charts are made of.  A row for each of some names with a bar and its number
beside it; a legend of few words; what is said at the pointer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from engine.views import base, theme

Spec = dict[str, Any]  # a part of a Vega-Lite chart


# A number on an axis: 0.05, 2,500, 20,000, 3M; 1e-7 below what can be read in digits.
AXIS_NUMBER = (
    "abs(datum.value) >= 1e6 ? format(datum.value, '~s')"
    " : abs(datum.value) >= 1e3 ? format(datum.value, ',~r') : format(datum.value, '~g')"
)


def label(names: Iterable[str], at: str = "datum.value") -> str:
    """A Vega expression: the name of this number."""
    return f"{base.listed(names)}[{at}]"


def tips(**titles: str | None) -> list[Spec]:
    """What is said at the pointer: columns of words, each with its title."""
    return [{"field": name, "type": "nominal", "title": title} for name, title in titles.items()]


def named(
    field: str, title: str | None, names: Sequence[str], inner: float = 0.24, **axis: Any
) -> Spec:
    """A row for each name, by its number in `field`; `axis` overrides what the axis has."""
    return {
        "field": field,
        "type": "ordinal",
        "scale": {"paddingInner": inner, "paddingOuter": inner / 2},
        "axis": {
            "title": title,
            "labelExpr": label(names),
            "ticks": False,
            "domain": False,
            "labelFontSize": 12,
            "labelOverlap": False,
            **axis,
        },
    }


def columns(names: Iterable[str], most: int, size: int = 11) -> Spec:
    """A legend in as many columns as fit, at most this many; no name in it is cut while there is
    room for it."""
    wide = max((base.width_of(name, size) for name in names), default=0) + 26
    return {
        "columns": {"expr": f"clamp(floor(width / {wide}), 1, {max(1, most)})"},
        "labelLimit": 300,
    }


def room(names: Sequence[str]) -> int:
    """Pixels that names at an axis take."""
    return max(map(base.width_of, names), default=0) + 14


def amounts(title: str, low: float, high: float, **axis: Any) -> Spec:
    """Numbers from `low` to `high`, which ends where the text beside the longest bar does."""
    return {
        "type": "quantitative",
        "scale": {"domain": [low, high], "nice": False},
        "axis": {"title": title, "domain": False, "ticks": False, **axis},
    }


def series(field: str, names: Sequence[str], colours: Sequence[str], **legend: Any) -> Spec:
    """A colour for each of some names, by its number in `field`, with a legend above."""
    names = theme.series(names, 400)
    return {
        "field": field,
        "type": "ordinal",
        "scale": {"domain": list(range(len(names))), "range": list(colours)},
        "legend": {
            "title": None,
            "orient": "top",
            "symbolType": "square",
            "labelExpr": label(names),
            **columns(names, len(names)),
            **legend,
        },
    }


def name_mark(field: str, name: str, colour: str) -> Spec:
    """The same of a single name, which stands in `field`."""
    return {
        "field": field,
        "type": "nominal",
        "scale": {"domain": [name], "range": [colour]},
        "legend": None,  # the axis says what it is
    }


def bar(
    y: Spec, x: Spec, start: str, stop: str, color: Spec, tooltip: list[Spec], **mark: Any
) -> Spec:
    """A bar in each row between two columns."""
    return {
        "mark": {"type": "bar", **mark},
        "encoding": {
            "y": y,
            "x": {**x, "field": start},
            "x2": {"field": stop},
            "color": color,
            "tooltip": tooltip,
        },
    }


def write_beside(y: Spec, x: Spec, end: str, ink: theme.Ink, **more: Any) -> Spec:
    """What the column `written` says, to the right of where `end` is."""
    return {
        **more,
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
            "x": {**x, "field": end},
            "text": {"field": "written", "type": "nominal"},
        },
    }


def signs(values_NK: np.ndarray, height: float, ink: theme.Ink) -> list[Spec]:
    """A sign at the foot for each row of numbers that can't be drawn, by its first that is not
    finite."""
    odd = [base.number(float(row[~np.isfinite(row)][0])) for row in values_NK]
    if not odd:
        return []
    return [
        {
            "data": base.rows({"n": np.arange(len(odd)) * 14.0 + 8, "sign": odd}),
            "mark": {"type": "text", "fontSize": 12, "fontWeight": 600, "color": ink.text},
            "encoding": {
                "x": {"field": "n", "type": "quantitative", "scale": None, "axis": None},
                "y": {"value": height - 8},
                "text": {"field": "sign", "type": "nominal"},
            },
        }
    ]


def smooth(low: float, high: float, stops: Sequence[str]) -> Spec:
    """A scale of colours from one number to another."""
    return {
        "domain": np.linspace(low, high, len(stops)).tolist(),
        "range": list(stops),
        "clamp": True,
        "interpolate": "rgb",
    }
