"""A map of words in two dimensions: all of them faint, neighbours and typed words named."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.trace import Table
from engine.language.message import _
from engine.views import base, marks, theme
from engine.views.base import Need, View
from engine.views.figure import Figure

COLUMNS = ("word", "x", "y", "group", "frequency")
GROUPS = ("other words", "neighbours", "typed words")
SIZE, MOST_LABELS = 520, 60


def draw(
    table: Table, *, groups: tuple[str, ...] = GROUPS, dark: bool = False, of: str = ""
) -> Figure:
    """group: 0 background, 1 neighbour, 2 typed.  Frequent words have larger points.  Only words of
    groups 1 and 2 are named."""
    frame = table.frame()[list(COLUMNS)].reset_index(drop=True)
    xy = frame[["x", "y"]].to_numpy(float)
    group = np.clip(frame["group"].to_numpy(float), 0, 2).astype(int)
    often = frame["frequency"].to_numpy(float)
    known = np.isfinite(xy).all(1)
    middle, reach = _square(xy[known])
    place: dict[str, Any] = {
        axis: {
            "field": axis,
            "type": "quantitative",
            "scale": {
                "domain": [middle[i] - reach, middle[i] + reach],
                "nice": False,
                "zero": False,
            },
            "axis": {
                "title": _("{axis} of the map (no unit)", axis=axis),
                "tickCount": 5,
                "ticks": False,
                "labels": False,
            },
        }
        for i, axis in enumerate("xy")
    }
    ink = theme.ink(dark)
    accents = (ink.faint, ink.accent, theme.categories(2, dark)[1])
    used = sorted(set(group.tolist())) or [0]
    colour = {
        "field": "g",
        "type": "ordinal",
        "title": "words",
        "scale": {"domain": used, "range": [accents[g] for g in used]},
        "legend": {
            "labelExpr": marks.label(theme.series(groups)),
            "symbolType": "circle",
            "symbolSize": 80,
        }
        if len(used) > 1
        else None,
    }
    loud = np.log1p(np.nan_to_num(np.maximum(often, 0), posinf=0))
    size = 10 + 40 * loud / (loud.max(initial=0.0) or 1.0)
    names = [theme.visible(str(w)) for w in frame["word"]]

    def points(g: int) -> dict[str, Any]:
        at = np.flatnonzero(known & (group == g))
        data = {
            "x": xy[at, 0],
            "y": xy[at, 1],
            "g": group[at],
            "s": size[at] + 25 * (g > 0),
            "f": often[at],
            "n": np.arange(len(at)),
        }
        return {
            "data": base.pack(data),
            "transform": [
                {"calculate": marks.label((names[i] for i in at), "datum.n"), "as": "word"}
            ],
            "mark": {
                "type": "circle",
                "opacity": 0.4 if g == 0 else 1,
                "stroke": ink.page if g else None,
                "strokeWidth": 1,
            },
            "encoding": {
                **place,
                "color": colour,
                "size": {"field": "s", "type": "quantitative", "scale": None, "legend": None},
                "tooltip": [
                    {"field": "word", "type": "nominal"},
                    {"field": "f", "type": "quantitative", "title": "occurrences", "format": ",~r"},
                ],
            },
        }

    layers = [points(g) for g in used]
    named = [int(i) for g in (2, 1) for i in np.flatnonzero(known & (group == g))]
    spots = labels_beside(xy[named], [names[i] for i in named], middle, reach, SIZE)
    written = [(i, s) for i, s in zip(named, spots, strict=True) if s is not None]
    for dx, dy, align in dict.fromkeys(s for __, s in written):
        here = [i for i, s in written if s == (dx, dy, align)]
        # The same words in the colour of the page, behind, keep the letters apart from the points.
        layers += [
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
                    "fontSize": 12,
                    "fontWeight": 500,
                    "color": ink.page if halo else ink.text,
                    "tooltip": None,
                    **(
                        {"stroke": ink.page, "strokeWidth": 3, "strokeJoin": "round", "aria": False}
                        if halo
                        else {}
                    ),
                },
                "encoding": {**place, "text": {"field": "t", "type": "nominal"}},
            }
            for halo in (True, False)
        ]
    notes = (
        of,
        (
            "Only nearness means something: the map has no unit and no preferred direction. Larger"
            " points are more frequent words."
        ),
        (
            _(
                "{written} of {named} marked words have room for their name.",
                written=len(written),
                named=len(named),
            )
            if len(written) < len(named)
            else ""
        ),
        (
            _("{known:,} words have no place on the map (not finite).", known=int((~known).sum()))
            if not known.all()
            else ""
        ),
    )
    typed = ", ".join(f"“{names[i]}”" for i in named[:8] if group[i] == 2)
    title = base.sentence(table.spec.says) or "A map of words"
    words = _("Map of points. {title}. {frame:,} words", title=_(title), frame=len(frame)) + (
        _("; typed: {typed}.", typed=typed) if typed else "."
    )
    return base.chart(title, notes, layers, frame, words, width=SIZE, height=SIZE, dark=dark)


def _square(xy: np.ndarray) -> tuple[np.ndarray, float]:
    """(middle, half a side) of the square that holds all points, with a margin: both axes have the
    same scale."""
    if not len(xy):
        return np.zeros(2), 1.0
    low, high = xy.min(0), xy.max(0)
    return (low + high) / 2, float((high - low).max() / 2 * 1.08) or 1.0


def labels_beside(
    xy: np.ndarray, names: list[str], middle: np.ndarray, reach: float, pixels: int
) -> list[tuple[int, int, str] | None]:
    """(dx, dy, align) per name: the first of six places beside its point where it covers no earlier
    name, or None."""
    taken: list[tuple[float, float, float, float]] = []
    found: list[tuple[int, int, str] | None] = []
    for point, name in zip(xy, names, strict=True):
        px, py = (point - middle + reach) / (2 * reach) * pixels
        wide = base.width_of(name, 12)
        found.append(None)
        for dx, dy, align in (
            (8, 0, "left"),
            (-8, 0, "right"),
            (0, -12, "center"),
            (0, 13, "center"),
            (8, -11, "left"),
            (8, 12, "left"),
        ):
            left = px + dx - (0 if align == "left" else wide if align == "right" else wide / 2)
            box = (left, pixels - py + dy - 7, left + wide, pixels - py + dy + 7)
            if len(taken) < MOST_LABELS and not any(
                box[0] < c and box[2] > a and box[1] < d and box[3] > b for a, b, c, d in taken
            ):
                taken.append(box)
                found[-1] = (dx, dy, align)
                break
    return found


VIEW = View("Map", "Which words lie together?", (Need(columns=COLUMNS),), draw)
