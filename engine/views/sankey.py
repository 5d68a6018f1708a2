"""Sankey diagram: bands between places in a row, as wide as what flows through them."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.trace import Table
from engine.views import base, marks, theme
from engine.views.base import Need, View
from engine.views.figure import Figure

COLUMNS = ("from", "to", "start", "stop", "value")
WIDTH, HEIGHT, GAP, THICK, POINTS, MOST = 640, 300, 22, 0.02, 17, 200


def draw(
    table: Table, *, title: str = "", unit: str = "", dark: bool = False, of: str = ""
) -> Figure:
    """A band for each row, from a place in column `start` to one in column `stop` of the picture,
    counted from the left; a place is as tall as the larger of what comes in and goes out.

    Rows without a positive value, or that do not lead to the right, are not drawn.
    """
    whole = table.frame()[list(COLUMNS)]
    sound = np.isfinite(whole[["start", "stop", "value"]].to_numpy(float)).all(1)
    lead = sound & (whole["value"].to_numpy(float) > 0)
    lead &= whole["stop"].to_numpy(float) > whole["start"].to_numpy(float)
    rows = list(whole[lead].head(MOST).itertuples(index=False, name=None))
    ins: dict[tuple[str, float], float] = {}
    outs: dict[tuple[str, float], float] = {}
    for name, to, start, stop, value in rows:
        for held, place in ((outs, (str(name), start)), (ins, (str(to), stop))):
            held[place] = held.get(place, 0.0) + value
            (ins if held is outs else outs).setdefault(place, 0.0)
    tall = {place: max(ins[place], outs[place]) for place in outs}
    columns = sorted({at for _, at in tall})
    inside = {at: [place for place in tall if place[1] == at] for at in columns}
    scale = min(
        (
            max(1.0, HEIGHT - GAP * len(some)) / sum(tall[place] for place in some)
            for some in inside.values()
        ),
        default=1.0,
    )
    top: dict[tuple[str, float], float] = {}
    for some in inside.values():
        y = (HEIGHT - scale * sum(tall[p] for p in some) - GAP * (len(some) - 1)) / 2
        for place in some:
            top[place], y = y, y + scale * tall[place] + GAP
    last = max(columns, default=1.0) or 1.0
    names = list(dict.fromkeys(str(row[0]) for row in rows))
    colours, ink = theme.categories(len(names), dark), theme.ink(dark)
    ease = (1 - np.cos(np.pi * np.linspace(0, 1, POINTS))) / 2
    band: list[dict[str, Any]] = []
    left, right = dict.fromkeys(tall, 0.0), dict.fromkeys(tall, 0.0)
    for n, (name, to, start, stop, value) in enumerate(rows):
        a, b, high = (str(name), start), (str(to), stop), scale * value
        y0, y1 = top[a] + right[a], top[b] + left[b]
        right[a], left[b] = right[a] + high, left[b] + high
        said = (
            f"{theme.visible(str(name), 40)} → {theme.visible(str(to), 40)}: {base.number(value)}"
        )
        for place_x, along in zip(np.linspace(start + THICK, stop, POINTS), ease, strict=True):
            y = y0 + (y1 - y0) * float(along)
            band.append(
                {
                    "n": n,
                    "s": names.index(str(name)),
                    "x": float(place_x),
                    "y": y,
                    "y2": y + max(1.0, high),
                    "said": said,
                }
            )
    node = [
        {
            "x": at,
            "x2": at + THICK,
            "y": top[name, at],
            "y2": top[name, at] + max(2.0, scale * tall[name, at]),
            "name": theme.plain(name, 40) or "∅",
            "right": bool(at == last),
        }
        for name, at in tall
    ]
    x: dict[str, Any] = {
        "field": "x",
        "type": "quantitative",
        "axis": None,
        "scale": {"domain": [0, last + THICK], "nice": False, "zero": False},
    }
    y_of: dict[str, Any] = {
        "field": "y",
        "type": "quantitative",
        "axis": None,
        "scale": {"domain": [HEIGHT, -16], "nice": False, "zero": False},
    }
    label = {"fontSize": 11, "color": ink.text}
    layers: list[dict[str, Any]] = [
        {
            "data": {"values": band},
            "mark": {"type": "area", "opacity": 0.45, "line": False},
            "encoding": {
                "x": x,
                "y": y_of,
                "y2": {"field": "y2"},
                "detail": {"field": "n"},
                "color": {**marks.series("s", names, colours), "legend": None},
                "tooltip": marks.tips(said="flow"),
            },
        },
        {
            "data": {"values": node},
            "mark": {"type": "rect", "color": ink.text},
            "encoding": {"x": x, "x2": {"field": "x2"}, "y": y_of, "y2": {"field": "y2"}},
        },
        *(
            {
                "data": {"values": [one for one in node if one["right"] is end]},
                "mark": {"type": "text", **label, **ends},
                "encoding": {
                    "x": {**x, "field": "x2" if end else "x"},
                    "y": {**y_of, "field": "y2" if end else "y"},
                    "text": {"field": "name", "type": "nominal"},
                },
            }
            for end, ends in (
                (False, {"align": "left", "baseline": "bottom", "dy": -3}),
                # below, or it would meet the name before it
                (True, {"align": "right", "baseline": "top", "dy": 4}),
            )
        ),
    ]
    value_N1 = whole["value"].to_numpy(float)[:, None]
    layers += marks.signs(value_N1[~np.isfinite(value_N1[:, 0])], HEIGHT, ink)
    says = title or base.sentence(table.spec.says) or "What flows where"
    cut = f"{len(rows)} of {len(whole):,} bands are drawn." if len(rows) < len(whole) else ""
    return base.chart(
        says,
        (of, cut, base.unsound(value_N1)),
        layers,
        whole,
        f"Sankey diagram. {says}. {len(rows)} bands between {len(tall)} places, in {unit or 'units'}.",
        width=WIDTH,
        height=HEIGHT,
        dark=dark,
    )


VIEW = View("Sankey diagram", "What flows where, and how much?", (Need(columns=COLUMNS),), draw)
