"""Two sets as two circles: what only one of them has, and what both have, by area."""

from __future__ import annotations

from math import acos, pi, sqrt
from typing import Any

import numpy as np

from engine.core.trace import Table
from engine.views import base, marks, theme
from engine.views.base import Need, View
from engine.views.figure import Figure

COLUMNS = ("set", "size")
WIDE, HIGH = 420, 230
POINTS = 96
LETTER = 7.5  # pixels, about


def draw(table: Table, *, dark: bool = False, of: str = "", unit: str = "") -> Figure:
    """Three rows: the first set, the second, and what both have; a circle's area is its size.

    unit  what is counted
    """
    frame = table.frame()[list(COLUMNS)].reset_index(drop=True)
    names = [theme.plain(str(name), 40) or "∅" for name in frame["set"][:2]]
    sizes = frame["size"].to_numpy(float)[:3]
    sound = np.where(np.isfinite(sizes) & (sizes > 0), sizes, 0.0)
    layers: list[dict[str, Any]] = []
    words = "Nothing to draw"
    if len(sizes) == 3 and sound[:2].any():
        first, second = float(sound[0]), float(sound[1])
        both = min(float(sound[2]), first, second)
        layers = _layers(first, second, both, names, dark)
        words = (
            f"{names[0]} {base.number(first)}, {names[1]} {base.number(second)},"
            f" both {base.number(both)}"
        )
    layers += marks.signs(sizes[~np.isfinite(sizes)][:, None], HIGH, theme.ink(dark))
    if not layers:
        layers = [{"data": base.rows({"n": np.zeros(0)}), "mark": "point", "encoding": {}}]
    title = base.sentence(table.spec.says) or table.spec.name
    alt = f"Two circles. {title}. {words}{f' {unit}' if unit else ''}."
    notes = (of, base.unsound(sizes))
    return base.chart(title, notes, layers, frame, alt, width=WIDE, height=HIGH, dark=dark)


def shared(r: float, s: float, d: float) -> float:
    """The area that two circles of radii r and s share, their middles d apart."""
    if d >= r + s:
        return 0.0
    if d <= abs(r - s):
        return pi * min(r, s) ** 2
    one = acos(max(-1.0, min(1.0, (d * d + r * r - s * s) / (2 * d * r))))
    other = acos(max(-1.0, min(1.0, (d * d + s * s - r * r) / (2 * d * s))))
    kite = sqrt(max(0.0, (-d + r + s) * (d + r - s) * (d - r + s) * (d + r + s)))
    return r * r * one + s * s * other - kite / 2


def circles(first: float, second: float, both: float) -> tuple[float, float, float]:
    """Radii of two circles and the distance of their middles: their areas are the sizes, and the
    area that they share is `both`."""
    r, s = sqrt(first / pi), sqrt(second / pi)
    if both <= 0:
        return r, s, 1.08 * (r + s)
    near, far = abs(r - s), r + s
    for _ in range(60):
        middle = (near + far) / 2
        near, far = (middle, far) if shared(r, s, middle) > both else (near, middle)
    return r, s, (near + far) / 2


def _layers(
    first: float, second: float, both: float, names: list[str], dark: bool
) -> list[dict[str, Any]]:
    r, s, d = circles(first, second, both)
    left, right, tall = min(-r, d - s), max(r, d + s), max(r, s)
    scale = min((WIDE - 20) / (right - left), (HIGH - 60) / (2 * tall))  # pixels a unit
    x0, y0 = WIDE / 2 - scale * (left + right) / 2, HIGH / 2 + 14
    turn = np.linspace(0, 2 * pi, POINTS)
    colours, ink = theme.categories(2, dark), theme.ink(dark)
    place: dict[str, Any] = {"type": "quantitative", "axis": None}
    x = {**place, "field": "x", "scale": {"domain": [0, WIDE], "nice": False}}
    y = {**place, "field": "y", "scale": {"domain": [HIGH, 0], "nice": False}}
    layers: list[dict[str, Any]] = [
        {
            "data": base.rows(
                {
                    "x": x0 + scale * (middle + radius * np.cos(turn)),
                    "y": y0 + scale * radius * np.sin(turn),
                    "n": np.arange(POINTS),
                }
            ),
            "mark": {
                "type": "line",
                "interpolate": "linear-closed",
                "fill": colour,
                "fillOpacity": 0.18,
                "stroke": colour,
                "strokeWidth": 2,
                "tooltip": None,
            },
            "encoding": {"x": x, "y": y, "order": {"field": "n", "type": "quantitative"}},
        }
        for radius, middle, colour in ((r, 0.0, colours[0]), (s, d, colours[1]))
        if radius > 0
    ]
    # what only one has stands in the middle of what it has alone, what both have between
    edges = (max(-r, d - s), min(r, d + s))
    alone = first - both, second - both
    spots = []
    if alone[0] > 0:
        spots.append(((-r + (edges[0] if both > 0 else r)) / 2, alone[0]))
    if both > 0:
        spots.append((sum(edges) / 2, both))
    if alone[1] > 0:
        spots.append((((edges[1] if both > 0 else d - s) + d + s) / 2, alone[1]))
    told = {
        "x": np.array([x0 + scale * at for at, _ in spots]),
        "y": np.full(len(spots), y0),
        "label": [base.number(count) for _, count in spots],
    }
    layers.append(_text(told, x, y, ink.text, 15, "center"))
    told_sizes = [f"{n}: {base.number(c)}" for n, c in zip(names, (first, second), strict=True)]
    # of the circles; the edges where words need more room
    ends = x0 + scale * left, x0 + scale * right
    if ends[1] - ends[0] < LETTER * sum(map(len, told_sizes)) + 24:
        ends = 8.0, WIDE - 8.0
    heads: dict[str, Any] = {
        "x": np.array(ends),
        "y": np.full(2, max(12.0, y0 - scale * tall - 18)),
        "label": told_sizes,
    }
    for i, align in enumerate(("left", "right")):
        one = {key: value[i : i + 1] for key, value in heads.items()}
        layers.append(_text(one, x, y, ink.text, 13, align))
    return layers


def _text(
    rows: dict[str, Any], x: dict[str, Any], y: dict[str, Any], colour: str, size: int, align: str
) -> dict[str, Any]:
    return {
        "data": base.rows(rows),
        "mark": {
            "type": "text",
            "fontSize": size,
            "align": align,
            "baseline": "middle",
            "color": colour,
            "tooltip": None,
        },
        "encoding": {"x": x, "y": y, "text": {"field": "label", "type": "nominal"}},
    }


VIEW = View("Two sets", "What do two sets have in common?", (Need(columns=COLUMNS),), draw)
