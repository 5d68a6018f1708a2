"""Words as points of a plane, each with an arrow to where it goes: both axes count, and have one
scale."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.trace import Table
from engine.language.message import _
from engine.views import base, marks, theme
from engine.views.base import Need, View
from engine.views.figure import Figure

COLUMNS = ("word", "x", "y", "to_x", "to_y")
SIZE = 380


def draw(
    table: Table,
    *,
    dark: bool = False,
    of: str = "",
    x: str = "first number",
    y: str = "second number",
) -> Figure:
    """x, y: what the axes mean.  A word whose numbers are not finite is left out and said."""
    frame = table.frame()[list(COLUMNS)].reset_index(drop=True)
    numbers = frame[list(COLUMNS[1:])].to_numpy(float)
    sound = np.isfinite(numbers).all(1)
    at = np.flatnonzero(sound)
    begin, end = numbers[at, :2], numbers[at, 2:]
    both = np.concatenate([begin, end, np.zeros((1, 2))])
    low, high = float(both.min()), float(both.max())
    room = 0.12 * (high - low) or 1.0
    names = [theme.visible(str(frame["word"][i]), 20) for i in at]
    ink = theme.ink(dark)
    domain = [low - room, high + room]
    place: dict[str, dict[str, Any]] = {
        axis: {
            "type": "quantitative",
            "scale": {"domain": domain, "nice": False, "zero": False},
            "axis": {"title": title, "tickCount": 6, "domain": False},
        }
        for axis, title in (("x", x), ("y", y))
    }
    data = base.rows(
        {
            "x": begin[:, 0],
            "y": begin[:, 1],
            "to_x": end[:, 0],
            "to_y": end[:, 1],
            "n": np.arange(len(at)),
            "from": [f"{base.number(float(a))}, {base.number(float(b))}" for a, b in begin],
            "to": [f"{base.number(float(a))}, {base.number(float(b))}" for a, b in end],
        }
    )
    named = [{"calculate": marks.label(names, "datum.n"), "as": "word"}]
    tooltip = [{"field": name, "type": "nominal"} for name in ("word", "from", "to")]
    start: dict[str, Any] = {axis: {**place[axis], "field": axis} for axis in "xy"}
    stop: dict[str, Any] = {axis: {**place[axis], "field": f"to_{axis}"} for axis in "xy"}
    colour = marks.series("end", ("start", "end"), (ink.quiet, ink.accent), symbolType="circle")
    points: list[dict[str, Any]] = [
        {
            "transform": [*named, {"calculate": str(end), "as": "end"}],
            "mark": {"type": "circle", "size": 80, "opacity": 1},
            "encoding": {**spot, "color": colour, "tooltip": tooltip},
        }
        for end, spot in enumerate((start, stop))
    ]
    layers: list[dict[str, Any]] = [
        {
            "mark": {"type": "rule", "strokeWidth": 2, "color": ink.accent},
            "encoding": {**start, "x2": {"field": "to_x"}, "y2": {"field": "to_y"}},
        },
        *points,
        {
            "transform": named,
            "mark": {
                "type": "text",
                "dx": 9,
                "dy": -9,
                "align": "left",
                "fontSize": 13,
                "color": ink.text,
            },
            "encoding": {**start, "text": {"field": "word", "type": "nominal"}},
        },
    ]
    layers += marks.signs(numbers[~sound], SIZE, ink)
    title = base.sentence(table.spec.says) or table.spec.name
    missing = int((~sound).sum())
    left_out = (
        _(
            "{missing:,} {value} a position that is not finite.",
            missing=missing,
            value=_("word has") if missing == 1 else _("words have"),
        )
        if missing
        else ""
    )
    said = _("; ").join(
        _(
            "“{name}” from ({v}) to ({v_2})",
            name=name,
            v=", ".join(base.number(float(v)) for v in a),
            v_2=", ".join(base.number(float(v)) for v in b),
        )
        for name, a, b in zip(names[:8], begin, end, strict=False)
    )
    notes = (of, left_out, base.tell_unsound(numbers))
    words = _(
        "Points of a plane. {title}. {value}.", title=_(title), value=said or _("nothing to draw")
    )
    return base.chart(
        title, notes, layers, frame, words, width=SIZE, height=SIZE, dark=dark, data=data
    )


VIEW = View("Plane", "Where does it move?", (Need(columns=COLUMNS),), draw)
