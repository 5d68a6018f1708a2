"""A map of words in two dimensions: all of them faint, neighbours and typed words named."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.figure import Figure
from engine.trace import Table
from engine.views import base, theme
from engine.views.base import Need, View

COLUMNS = ("word", "x", "y", "group", "frequency")
GROUPS = ("other words", "neighbours", "typed words")
SIZE, MOST_LABELS = 520, 60


def draw(table: Table, *, dark: bool = False, of: str = "") -> Figure:
    """group: 0 background, 1 neighbour, 2 typed.  Frequent words have larger points.  Only words of groups 1 and 2 are named."""
    frame = table.frame()[list(COLUMNS)].reset_index(drop=True)
    xy = frame[["x", "y"]].to_numpy(float)
    group = np.clip(frame["group"].to_numpy(float), 0, 2).astype(int)
    often = frame["frequency"].to_numpy(float)
    known = np.isfinite(xy).all(1)
    middle, reach = _square(xy[known])
    place: dict[str, Any] = {
        axis: {"field": axis, "type": "quantitative", "scale": {"domain": [middle[i] - reach, middle[i] + reach], "nice": False, "zero": False},
               "axis": {"title": f"{axis} of the map (no unit)", "tickCount": 5, "ticks": False, "labels": False}}
        for i, axis in enumerate("xy")
    }  # fmt: skip
    ink = theme.ink(dark)
    accents = (ink.faint, ink.accent, theme.categories(2, dark)[1])
    used = sorted(set(group.tolist())) or [0]
    colour = {"field": "g", "type": "ordinal", "title": "words", "scale": {"domain": used, "range": [accents[g] for g in used]},
              "legend": {"labelExpr": f"{base.listed(GROUPS)}[datum.value]", "symbolType": "circle", "symbolSize": 80}}  # fmt: skip
    loud = np.log1p(np.nan_to_num(np.maximum(often, 0), posinf=0))
    size = 14 + 46 * loud / (loud.max(initial=0.0) or 1.0)
    names = [theme.visible(str(w)) for w in frame["word"]]

    def points(g: int) -> dict[str, Any]:
        at = np.flatnonzero(known & (group == g))
        data = {"x": xy[at, 0], "y": xy[at, 1], "g": group[at], "s": size[at] + 25 * (g > 0), "word": [names[i] for i in at],
                "f": [base.number(float(often[i])) for i in at]}  # fmt: skip
        return {
            "data": base.rows(data),
            "mark": {"type": "circle", "opacity": 0.55 if g == 0 else 1, "stroke": ink.page if g else None, "strokeWidth": 1},
            "encoding": {**place, "color": colour, "size": {"field": "s", "type": "quantitative", "scale": None, "legend": None},
                         "tooltip": [{"field": "word", "type": "nominal"}, {"field": "f", "type": "nominal", "title": "occurrences"}]},
        }  # fmt: skip

    layers = [points(g) for g in used]
    named = [i for g in (2, 1) for i in np.flatnonzero(known & (group == g))]
    spots = labels_beside(xy[named[:MOST_LABELS]], [names[i] for i in named[:MOST_LABELS]], middle, reach, SIZE)
    for dx, dy, align in {(s[0], s[1], s[2]): None for s in spots}:
        rows = [(xy[i], names[i], int(group[i])) for i, s in zip(named, spots, strict=False) if s[:3] == (dx, dy, align)]
        layers.append({
            "data": base.rows({"x": [float(r[0][0]) for r in rows], "y": [float(r[0][1]) for r in rows], "t": [r[1] for r in rows],
                               "w": [600 if r[2] == 2 else 400 for r in rows]}),
            "mark": {"type": "text", "dx": dx, "dy": dy, "align": align, "baseline": "middle", "fontSize": 12, "color": ink.text,
                     "fontWeight": 500, "tooltip": None},
            "encoding": {**place, "text": {"field": "t", "type": "nominal"}},
        })  # fmt: skip
    notes = (
        of,
        "Only nearness means something: the map has no unit and no preferred direction. Larger points are more frequent words.",
        f"Names of {MOST_LABELS} of {len(named)} marked words are written." if len(named) > MOST_LABELS else "",
        f"{int((~known).sum()):,} words have no place on the map (not finite)." if not known.all() else "",
    )
    typed = ", ".join(f"“{names[i]}”" for i in named[:8] if group[i] == 2)
    title = base.sentence(table.spec.says) or "A map of words"
    words = f"Map of points. {title}. {len(frame):,} words" + (f"; typed: {typed}." if typed else ".")
    return base.chart(title, notes, layers, frame, words, width=SIZE, height=SIZE, dark=dark)


def _square(xy: np.ndarray) -> tuple[np.ndarray, float]:
    """(middle, half a side) of the square that holds all points, with a margin: both axes have the same scale."""
    if not len(xy):
        return np.zeros(2), 1.0
    low, high = xy.min(0), xy.max(0)
    return (low + high) / 2, float((high - low).max() / 2 * 1.08) or 1.0


def labels_beside(xy: np.ndarray, names: list[str], middle: np.ndarray, reach: float, pixels: int) -> list[tuple[int, int, str]]:
    """(dx, dy, align) per name: the first of six places beside its point where it covers no earlier name."""
    taken: list[tuple[float, float, float, float]] = []
    found = []
    for point, name in zip(xy, names, strict=True):
        px, py = (point - middle + reach) / (2 * reach) * pixels
        wide = base.width_of(name, 12)
        choices = [(8, 0, "left"), (-8, 0, "right"), (0, -12, "center"), (0, 13, "center"), (8, -11, "left"), (8, 12, "left")]
        boxes = []
        for dx, dy, align in choices:
            left = px + dx - (0 if align == "left" else wide if align == "right" else wide / 2)
            boxes.append((left, pixels - py + dy - 7, left + wide, pixels - py + dy + 7))
        clashes = [sum(a < d and c > b and e < h and g > f for b, f, d, h in taken) for a, e, c, g in boxes]
        best = int(np.argmin(clashes))
        taken.append(boxes[best])
        found.append(choices[best])
    return found


VIEW = View("Map", "Which words lie together?", (Need(columns=COLUMNS),), draw)
