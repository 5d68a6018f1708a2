"""Named points of a plane whose axes mean something; arrows join some of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.trace import Table
from engine.language.message import _
from engine.views import base, marks, theme
from engine.views.base import Need, View
from engine.views.figure import Figure

COLUMNS = ("word", "x", "y", "group", "to_x", "to_y")
SIZE = 440
SPOTS = (
    (9, 0, "left"),
    (-9, 0, "right"),
    (0, -13, "center"),
    (0, 14, "center"),
    (8, -12, "left"),
    (8, 13, "left"),
    (-8, -12, "right"),
    (-8, 13, "right"),
    (0, -25, "center"),
    (0, 26, "center"),
    (0, -37, "center"),
    (0, 38, "center"),
)


def draw(
    table: Table,
    *,
    dark: bool = False,
    of: str = "",
    x: str = "x",
    y: str = "y",
    groups: tuple[str, ...] = ("first", "second", "third"),
) -> Figure:
    """One point a row, coloured by `group` (0, 1, 2), with an arrow to (to_x, to_y) where these are
    finite and elsewhere.

    x, y    what the axes mean; both have one scale
    groups  what the colours mean
    """
    frame = table.frame()[list(COLUMNS)].reset_index(drop=True)
    xy, to = frame[["x", "y"]].to_numpy(float), frame[["to_x", "to_y"]].to_numpy(float)
    group = np.clip(np.nan_to_num(frame["group"].to_numpy(float)), 0, len(groups) - 1).astype(int)
    sound = np.isfinite(xy).all(1)
    joined = sound & np.isfinite(to).all(1) & (np.abs(to - xy) > 1e-9).any(1)
    names, ink = [theme.visible(str(w), 20) for w in frame["word"]], theme.ink(dark)
    middle, reach = _square(np.concatenate([xy[sound], to[joined], np.zeros((1, 2))]))
    place: dict[str, Any] = {
        axis: {
            "type": "quantitative",
            "scale": {
                "domain": [middle[i] - reach, middle[i] + reach],
                "nice": False,
                "zero": False,
            },
            "axis": {"title": title, "tickCount": 5, "domain": False, "format": ".2~f"},
        }
        for i, (axis, title) in enumerate((("x", x), ("y", y)))
    }
    start: dict[str, Any] = {axis: {**place[axis], "field": axis} for axis in "xy"}
    colours = (ink.quiet, ink.accent, theme.categories(2, dark)[1])
    used = sorted(set(group[sound].tolist())) or [0]
    colour = {
        "field": "g",
        "type": "ordinal",
        "scale": {"domain": used, "range": [colours[g % 3] for g in used]},
        "legend": {
            "title": None,
            "orient": "top",
            "columns": 1,
            "symbolType": "circle",
            "symbolSize": 80,
            "labelLimit": 400,
            "labelExpr": marks.label(theme.series(groups)),
        },
    }
    layers: list[dict[str, Any]] = []
    if joined.any():
        bows, tips = _arrows(xy[joined], to[joined], SIZE / (2 * reach))
        layers += [
            {
                "data": base.rows(part),
                "mark": {
                    "type": "rule",
                    "strokeWidth": 1.6,
                    "color": ink.accent,
                    "opacity": 0.8,
                    "tooltip": None,
                },
                "encoding": {**start, "x2": {"field": "x2"}, "y2": {"field": "y2"}},
            }
            for part in (bows, tips)
        ]
    at = np.flatnonzero(sound)
    layers.append(
        {
            "data": base.rows(
                {
                    "x": xy[at, 0],
                    "y": xy[at, 1],
                    "g": group[at],
                    "n": np.arange(len(at)),
                    "where": [
                        f"{base.number(float(a))}, {base.number(float(b))}" for a, b in xy[at]
                    ],
                }
            ),
            "transform": [
                {"calculate": marks.label((names[i] for i in at), "datum.n"), "as": "word"}
            ],
            "mark": {"type": "circle", "size": 70, "opacity": 1},
            "encoding": {
                **start,
                "color": colour,
                "tooltip": [
                    {"field": "word", "type": "nominal"},
                    {"field": "where", "type": "nominal"},
                ],
            },
        }
    )
    order = [int(i) for i in sorted(at, key=lambda i: -group[i])]
    spots = _spots((xy[order] - middle + reach) / (2 * reach) * SIZE, [names[i] for i in order])
    written = [(i, s) for i, s in zip(order, spots, strict=True) if s is not None]
    for dx, dy, align in dict.fromkeys(s for __, s in written):
        here = [i for i, s in written if s == (dx, dy, align)]
        layers.append(
            {
                "data": base.rows(
                    {"x": xy[here, 0], "y": xy[here, 1], "t": [names[i] for i in here]}
                ),
                "mark": {
                    "type": "text",
                    "dx": dx,
                    "dy": dy,
                    "align": align,
                    "baseline": "middle",
                    "fontSize": 12.5,
                    "fontWeight": 500,
                    "color": ink.text,
                    "tooltip": None,
                },
                "encoding": {**start, "text": {"field": "t", "type": "nominal"}},
            }
        )
    layers += marks.signs(xy[~sound], SIZE, ink)
    missing = int((~sound).sum())
    notes = (
        of,
        (
            _(
                "{written} of {order} words have room for their name; the table has all.",
                written=len(written),
                order=len(order),
            )
            if len(written) < len(order)
            else ""
        ),
        (
            _(
                "{missing:,} {value} a position that is not finite.",
                missing=missing,
                value=_("word has") if missing == 1 else _("words have"),
            )
            if missing
            else ""
        ),
        base.tell_unsound(np.concatenate([xy.ravel(), to[joined].ravel()])),
    )
    title = base.sentence(table.spec.says) or table.spec.name
    said = _("; ").join(
        f"“{names[i]}” ({base.number(float(xy[i, 0]))}, {base.number(float(xy[i, 1]))})"
        for i in order[:12]
    )
    words = _(
        "Points of a plane. {title}. Across: {x}; up: {y}. {value}.",
        title=_(title),
        x=theme.plain(x),
        y=theme.plain(y),
        value=said or _("Nothing to draw"),
    )
    return base.chart(title, notes, layers, frame, words, width=SIZE, height=SIZE, dark=dark)


def _spots(at: np.ndarray, names: list[str]) -> list[tuple[int, int, str] | None]:
    """(dx, dy, align) per point, in pixels from below: the first place where its name covers no
    earlier name and no other point, or None."""
    taken: list[tuple[float, float, float, float]] = [
        (x - 4, SIZE - y - 4, x + 4, SIZE - y + 4) for x, y in at
    ]
    found: list[tuple[int, int, str] | None] = []
    for own, ((px, py), name) in enumerate(zip(at, names, strict=True)):
        wide = base.width_of(name, 12)
        found.append(None)
        for dx, dy, align in SPOTS:
            left = px + dx - (0 if align == "left" else wide if align == "right" else wide / 2)
            box = (left, SIZE - py + dy - 7, left + wide, SIZE - py + dy + 7)
            if not any(
                n != own and box[0] < c and box[2] > a and box[1] < d and box[3] > b
                for n, (a, b, c, d) in enumerate(taken)
            ):
                taken.append(box)
                found[-1] = (dx, dy, align)
                break
    return found


def _square(xy: np.ndarray) -> tuple[np.ndarray, float]:
    """(middle, half a side) of the square that holds all points, with room for names."""
    low, high = xy.min(0), xy.max(0)
    return (low + high) / 2, float((high - low).max() / 2 * 1.25) or 1.0


def _arrows(
    xy: np.ndarray, to: np.ndarray, scale: float
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Rules for the shafts, and for the two strokes of each head, 9 pixels long; `scale` in pixels
    a unit."""
    along = (to - xy) / np.linalg.norm(to - xy, axis=1, keepdims=True)
    across = np.stack([-along[:, 1], along[:, 0]], 1)
    ends = np.concatenate([to - (8 * along + side * 4 * across) / scale for side in (-1, 1)])
    tips = np.concatenate([to, to])
    return (
        {"x": xy[:, 0], "y": xy[:, 1], "x2": to[:, 0], "y2": to[:, 1]},
        {"x": tips[:, 0], "y": tips[:, 1], "x2": ends[:, 0], "y2": ends[:, 1]},
    )


VIEW = View("Points", "Where does each word lie on two scales?", (Need(columns=COLUMNS),), draw)
