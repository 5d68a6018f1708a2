"""What was wanted against what was reached: a point for each pair, on the line where both are equal
when the fit is perfect."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.trace import Table
from engine.language.message import _
from engine.views import base, marks, theme
from engine.views.base import Need, View
from engine.views.figure import Figure

COLUMNS = ("word", "neighbour", "x", "value", "weight")
WIDTH, HEIGHT = 460, 320


def draw(
    table: Table, *, dark: bool = False, of: str = "", x: str = "wanted", y: str = "reached"
) -> Figure:
    """x, y: what the axes mean.  Heavier pairs have larger points.  A pair whose numbers are not
    finite is shown as a sign."""
    frame = table.frame()[list(COLUMNS)].reset_index(drop=True)
    wanted, reached, weight = (frame[name].to_numpy(float) for name in ("x", "value", "weight"))
    sound = np.isfinite(wanted) & np.isfinite(reached)
    at = np.flatnonzero(sound)
    both = np.concatenate([wanted[at], reached[at]]) if len(at) else np.array([0.0, 1.0])
    low, high = float(both.min()), float(both.max())
    room = 0.06 * (high - low) or 1.0
    ends = [low - room, high + room]
    ink = theme.ink(dark)
    place: dict[str, Any] = {
        axis: {
            "type": "quantitative",
            "scale": {"domain": ends, "nice": False, "zero": False},
            "axis": {"title": title, "tickCount": 6, "domain": False, "ticks": False},
        }
        for axis, title in (("x", x), ("y", y))
    }
    heavy = np.clip(np.nan_to_num(weight[at], posinf=0, neginf=0), 0, None)
    names = [
        f"{theme.plain(str(frame['word'][i]), 20)} · {theme.plain(str(frame['neighbour'][i]), 20)}"
        for i in at
    ]
    data = base.rows(
        {
            "x": wanted[at],
            "v": reached[at],
            "s": 14 + 70 * heavy / (heavy.max(initial=0.0) or 1.0),
            "n": np.arange(len(at)),
            "from": [base.number(float(v)) for v in wanted[at]],
            "to": [base.number(float(v)) for v in reached[at]],
            "w": [base.number(float(v)) for v in weight[at]],
            "kind": ["a pair of words"] * len(at),
        }
    )
    tooltip = [
        {"field": field, "type": "nominal", "title": title}
        for field, title in (("pair", "pair"), ("from", x), ("to", y), ("w", "weight"))
    ]
    layers: list[dict[str, Any]] = [
        {
            "data": base.rows({"x": np.array(ends), "v": np.array(ends)}),
            "mark": {"type": "line", "strokeDash": [4, 3], "color": ink.quiet},
            "encoding": {"x": {**place["x"], "field": "x"}, "y": {**place["y"], "field": "v"}},
        },
        {
            "transform": [{"calculate": marks.label(names, "datum.n"), "as": "pair"}],
            "mark": {"type": "circle", "opacity": 0.6},
            "encoding": {
                "x": {**place["x"], "field": "x"},
                "y": {**place["y"], "field": "v"},
                "size": {"field": "s", "type": "quantitative", "scale": None, "legend": None},
                "color": {
                    "field": "kind",
                    "type": "nominal",
                    "title": None,
                    "scale": {"range": [ink.accent]},
                    "legend": {"orient": "top", "symbolType": "circle"},
                },
                "tooltip": tooltip,
            },
        },
    ]
    layers += marks.signs(np.stack([wanted, reached], 1)[~sound], HEIGHT, ink)
    notes = (of, base.tell_unsound(np.where(np.isfinite(wanted), reached, wanted)))
    title = base.sentence(table.spec.says) or table.spec.name
    words = _(
        "Points. {title}. {at:,} pairs; {y} over {x}, from {low} to {high}. The dashed"
        " line is where both are equal.",
        title=_(title),
        at=len(at),
        y=_(y),
        x=_(x),
        low=base.number(low),
        high=base.number(high),
    )
    return base.chart(
        title, notes, layers, frame, words, width=WIDTH, height=HEIGHT, dark=dark, data=data
    )


VIEW = View("Fit", "How close does the fit come to its target?", (Need(columns=COLUMNS),), draw)
