"""Lines: how numbers change along the text, along training, along any axis."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from engine.core.trace import Axis, Field, Kind
from engine.language.message import _, refusal
from engine.views import base, marks, theme
from engine.views.base import Need, View
from engine.views.figure import Figure

WIDTH, HEIGHT = 620, 280
MOST_COLOURS = 8  # more lines than this are grey, but for the eight that move most


def draw(*fields: Field, dark: bool = False, of: str = "") -> Figure:
    """One field with axes (series, along), or several with one axis each, all along the same
    positions.

    ValueError when the fields have different axes.
    """
    along, names, series, values = _series(fields)
    ink, spec = theme.ink(dark), fields[0].spec
    share = all(base.is_share(f.spec) for f in fields)
    labels = base.labels(along, 14)
    x_values, by_label = _positions(along)
    reach = np.where(np.isfinite(values), values, np.nan)
    moves = np.array([np.ptp(r[np.isfinite(r)]) if np.isfinite(r).any() else 0.0 for r in reach])
    bright = sorted(np.argsort(-moves, kind="stable")[:MOST_COLOURS].tolist())
    rank = np.full(len(names), len(bright))
    rank[bright] = np.arange(len(bright))
    grey = len(names) > MOST_COLOURS
    s, p = (i.ravel() for i in np.indices(values.shape))
    shown = [base.word(n, series, 30) for n in names]
    data = {"s": s, "k": rank[s], "x": x_values[p], "v": values.ravel().astype(float)}
    width = int(np.clip(22 * len(along), WIDTH, 1400)) if by_label and len(along) < 70 else WIDTH
    step = width / max(1, len(along))
    every = max(1, -(-11 // max(1, int(step))))
    upright = any(base.width_of(w) > step * every for w in labels)
    axis: dict[str, Any] = {"title": base.axis_title(along.name), "grid": False, "ticks": False}
    if by_label:
        axis |= {
            "values": list(range(0, len(along), every)),
            "labelExpr": marks.label(labels),
            "labelOverlap": False,
            "labelAngle": -90 if upright else 0,
            "maxExtent": (max(map(base.width_of, labels), default=0) if upright else 14) + 8,
        }
    room = 0.5 if by_label else 0.0
    span = [float(x_values[0]) - room, float(x_values[-1]) + room] if len(along) else [-0.5, 0.5]
    x = {
        "field": "x",
        "type": "quantitative",
        "scale": {"domain": span, "nice": False, "zero": False},
        "axis": axis,
    }
    kinds = {f.spec.kind for f in fields}
    fixed: dict[str, Any] = (
        {"domain": [0, 1]}
        if kinds <= {Kind.GATE}
        else {"zero": not kinds & {Kind.LOSS}, "nice": True}
    )
    y = {
        "field": "v",
        "type": "quantitative",
        "scale": fixed,
        "axis": {
            "title": base.measure(spec) if len(kinds) == 1 else "value",
            "tickCount": 6,
            "domain": False,
            "ticks": False,
            **(
                {"labelExpr": "format(datum.value * 100, '~g') + ' %'"}
                if share
                else {"labelExpr": marks.AXIS_NUMBER}
            ),
        },
    }
    named = [shown[i] for i in bright] + (["all others"] if grey else [])
    colours = theme.categories(len(bright), dark) + ([ink.faint] if grey else [])
    colour = {
        "field": "k",
        "type": "ordinal",
        "title": series,
        "scale": {"domain": list(range(len(named))), "range": colours},
        "legend": {"labelExpr": marks.label(named), "symbolType": "stroke", "symbolStrokeWidth": 3}
        if len(named) > 1
        else None,
    }
    hover = [{"calculate": marks.label(shown, "datum.s"), "as": "name"}] + (
        [{"calculate": marks.label(labels, "datum.x"), "as": "label"}] if by_label else []
    )
    tooltip = [
        {"field": "name", "type": "nominal", "title": series},
        {"field": "label" if by_label else "x", "type": "nominal", "title": along.name},
        {"field": "v", "type": "quantitative", "title": "value", "format": ".4~g"},
    ]
    layers: list[dict[str, Any]] = []
    for part in [False, True] if grey else [True]:
        mark = {
            "type": "line",
            "strokeWidth": 2 if part else 0.8,
            "opacity": 1 if part else 0.55,
            "point": {"size": 22} if part and len(along) <= 80 else False,
        }
        test = f"datum.k {'<' if part else '=='} {len(bright)}"
        layers.append(
            {
                "transform": [{"filter": test}, *hover],
                "mark": mark,
                "encoding": {
                    "x": x,
                    "y": y,
                    "color": colour,
                    "detail": {"field": "s", "type": "nominal"},
                    "tooltip": tooltip,
                },
            }
        )
    bad = np.flatnonzero(~np.isfinite(values.ravel()))
    if len(bad):
        signs = [base.number(float(v)) for v in values.ravel()[bad]]
        layers.append(
            {
                "data": base.rows(
                    {"k": rank[s[bad]], "x": x_values[p[bad]].astype(float), "sign": signs}
                ),
                "mark": {"type": "text", "fontSize": 12, "fontWeight": 600},
                "encoding": {
                    "x": x,
                    "y": {"value": HEIGHT - 8},
                    "color": colour,
                    "text": {"field": "sign", "type": "nominal"},
                },
            }
        )
    frame = pd.DataFrame(
        {
            "series": s,
            "series_label": np.array(names, object)[s],
            along.name: p,
            f"{along.name}_label": np.array(along.labels, object)[p],
            "value": values.ravel(),
        }
    )
    title = (
        base.says(spec)
        if len(fields) == 1
        else ", ".join(f.spec.symbol or f.spec.name for f in fields)
        + _(" at each {name}", name=_(along.name))
    )
    said = (
        _(
            "All {names:,} lines are drawn; the {bright} that change most have a colour.",
            names=len(names),
            bright=len(bright),
        )
        if grey
        else ""
    )
    words = _(
        "Lines. {title}. {names} {value} over {along} positions ({name}).",
        title=_(title),
        names=len(names),
        value=_("line") if len(names) == 1 else _("lines"),
        along=len(along),
        name=_(along.name),
    )
    if np.isfinite(reach).any():
        words += _(
            " From {reach} to {reach_2}.",
            reach=base.number(float(np.nanmin(reach)), share),
            reach_2=base.number(float(np.nanmax(reach)), share),
        )
    return base.chart(
        title,
        (of, said, base.tell_unsound(values)),
        layers,
        frame,
        words,
        width=width,
        height=HEIGHT,
        dark=dark,
        data=base.pack(data, blank=True),
    )


def _series(fields: tuple[Field, ...]) -> tuple[Axis, list[str], str, np.ndarray]:
    """(axis along, names of the series, what a series is, values (series, along))."""
    first = fields[0]
    if len(fields) == 1 and len(first.axes) == 2:
        return first.axes[1], list(first.axes[0].labels), first.axes[0].name, first.values
    for field in fields:
        if len(field.axes) != 1 or field.axes[0] != first.axes[0]:
            raise refusal(
                "lines: wanted fields along the same {first.axis_names} positions;"
                " {field.spec.name} has {field.axis_names}"
            )
    names = [f"{f.spec.symbol} ({f.spec.name})" if f.spec.symbol else f.spec.name for f in fields]
    return first.axes[0], names, "quantity", np.stack([f.values for f in fields])


def _positions(along: Axis) -> tuple[np.ndarray, bool]:
    """Where the points lie, and whether that is their place in line: training steps lie at their
    own number."""
    if along.name == "step":
        try:
            steps = np.array([float(label) for label in along.labels])
        except ValueError:
            steps = np.zeros(0)
        if len(steps) and np.isfinite(steps).all() and (np.diff(steps) > 0).all():
            return steps, False
    return np.arange(len(along)), True


VIEW = View("Lines", "How does it change?", (Need(2), Need(1, many=True)), draw, canvas="lines")
