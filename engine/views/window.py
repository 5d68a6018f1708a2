"""A row of words with an arc from one of them to each word of its window, and a chance under each
word."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.trace import Table
from engine.language.message import _
from engine.views import base, marks, theme
from engine.views.base import Need, View
from engine.views.figure import Figure

COLUMNS = ("word", "centre", "near", "probability")
FONT, GAP, LINE, MOST = 14, 26, 34, 9
STEPS = 17  # points of an arc
ROLES = ("centre", "in the window", "outside the window")


def draw(table: Table, *, dark: bool = False, of: str = "") -> Figure:
    """`centre` is true for one word (of several the first counts), `near` for those that it is
    paired with;
    `probability` is written under each word.

    The words nearest to the centre are drawn, MOST or as many as the window takes; the table holds
    all.
    """
    frame = table.frame()[list(COLUMNS)].reset_index(drop=True)
    centres = np.flatnonzero(frame["centre"].to_numpy(bool))
    middle = int(centres[0]) if len(centres) else 0
    paired = np.flatnonzero(frame["near"].to_numpy(bool))
    most = max(MOST, 1 + 2 * int(np.abs(paired - middle).max(initial=0)))
    first = max(0, min(middle - most // 2, len(frame) - most))
    at = np.arange(first, min(len(frame), first + most))
    names = [theme.visible(str(frame["word"][i]), 14) for i in at]
    chance = frame["probability"].to_numpy(float)[at]
    written = [base.number(float(p), True) for p in chance]
    width = np.array(
        [
            max(base.width_of(name, FONT), base.width_of(p, 11))
            for name, p in zip(names, written, strict=True)
        ]
        or [0]
    )
    x = np.cumsum(width + GAP) - width / 2 - GAP / 2
    near = [n for n, i in enumerate(at) if frame["near"][i] and i != middle]
    ink = theme.ink(dark)
    reach = max((abs(n + first - middle) for n in near), default=1)
    high = 46 + LINE * min(reach, 5)
    arcs: dict[str, list[float]] = {"x": [], "y": [], "arc": []}
    for n in near:
        turn = np.linspace(0, np.pi, STEPS)
        a, b = x[middle - first], x[n]
        arcs["x"] += ((a + b) / 2 - (b - a) / 2 * np.cos(turn)).tolist()
        arcs["y"] += (
            high - 42 - (high - 52) * min(abs(n + first - middle), 5) / min(reach, 5) * np.sin(turn)
        ).tolist()
        arcs["arc"] += [float(n)] * STEPS
    role = [0 if i == middle else 1 if n in near else 2 for n, i in enumerate(at)]
    whole = float(width.sum() + GAP * len(width))
    across: dict[str, Any] = {
        "type": "quantitative",
        "scale": {"domain": [0, whole], "nice": False, "zero": False},
        "axis": None,
    }
    down: dict[str, Any] = {
        "type": "quantitative",
        "scale": {"domain": [high, 0], "nice": False, "zero": False},
        "axis": None,
    }
    colour = marks.series("role", ROLES, (ink.accent, ink.text, ink.quiet))
    layers: list[dict[str, Any]] = [
        {
            "data": base.rows({**arcs, "n": list(range(len(arcs["x"])))}),
            "mark": {"type": "line", "color": ink.accent, "strokeWidth": 2},
            "encoding": {
                "x": {**across, "field": "x"},
                "y": {**down, "field": "y"},
                "detail": {"field": "arc", "type": "nominal"},
                "order": {"field": "n", "type": "quantitative"},
            },
        },
        {
            "transform": [
                {"calculate": marks.label(theme.series(ROLES), "datum.role"), "as": "is"}
            ],
            "mark": {"type": "text", "baseline": "middle", "fontSize": FONT, "fontWeight": 600},
            "encoding": {
                "x": {**across, "field": "x"},
                "y": {"value": high - 26},
                "text": {"field": "word", "type": "nominal"},
                "color": colour,
                "tooltip": [
                    {"field": "word", "type": "nominal"},
                    {"field": "is", "type": "nominal", "title": "role"},
                ],
            },
        },
        {
            "mark": {
                "type": "text",
                "baseline": "middle",
                "fontSize": 11,
                "color": ink.quiet,
                "tooltip": None,
            },
            "encoding": {
                "x": {**across, "field": "x"},
                "y": {"value": high - 8},
                "text": {"field": "written", "type": "nominal"},
            },
        },
    ]
    title = base.sentence(table.spec.says) or table.spec.name
    cut = (
        _("{at} of {frame:,} words are drawn.", at=len(at), frame=len(frame))
        if len(at) < len(frame)
        else ""
    )
    listed = ", ".join(f"“{names[n]}”" for n in near) or "no word"
    said = _(
        "Arcs. {title}. From “{names}” to {listed}.",
        title=_(title),
        names=names[middle - first] if names else "",
        listed=listed,
    )
    data = base.rows({"x": x[: len(names)], "word": names, "role": role, "written": written})
    return base.chart(
        title,
        (of, cut, base.tell_unsound(chance)),
        layers,
        frame,
        said,
        width=max(300, round(whole)),
        height=high,
        dark=dark,
        data=data,
    )


VIEW = View("Window", "Which words are paired?", (Need(columns=COLUMNS),), draw)
