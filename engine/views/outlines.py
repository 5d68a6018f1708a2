"""Arrows, points and outlines in one plane: both axes count, and have one scale."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.trace import Table
from engine.language.message import _
from engine.views import base, marks, theme
from engine.views.base import Need, View
from engine.views.figure import Figure

COLUMNS = ("series", "x", "y", "form")
POINTS, OUTLINE, ARROW = 0, 1, 2
SIZE = 270


def draw(
    table: Table,
    *,
    dark: bool = False,
    of: str = "",
    x: str = "x",
    y: str = "y",
    least: float = 0.0,
) -> Figure:
    """Rows of one series are points, an outline that is drawn in their order, or an arrow from the
    origin to each, as their `form` says.

    x, y   what the axes mean
    least  how far from the origin the axes reach at least
    """
    frame = table.frame()[list(COLUMNS)].reset_index(drop=True)
    names = list(dict.fromkeys(str(s) for s in frame["series"]))
    at = np.array([names.index(str(s)) for s in frame["series"]], int)
    xy, ink = frame[["x", "y"]].to_numpy(float), theme.ink(dark)
    sound = np.isfinite(xy).all(1)
    form = np.clip(np.nan_to_num(frame["form"].to_numpy(float)), 0, 2).round().astype(int)
    reach = 1.1 * max(least, float(np.abs(xy[sound]).max(initial=0.0))) or 1.0
    place: dict[str, Any] = {
        axis: {
            "type": "quantitative",
            "scale": {"domain": [-reach, reach], "nice": False, "zero": False},
            "axis": {"title": title, "tickCount": 5, "domain": False, "format": ".3~g"},
        }
        for axis, title in (("x", x), ("y", y))
    }
    start: dict[str, Any] = {axis: {**place[axis], "field": axis} for axis in "xy"}
    shown = theme.series(names)
    colour = {
        "field": "s",
        "type": "ordinal",
        "scale": {"domain": list(range(len(names))), "range": theme.categories(len(names), dark)},
        "legend": {
            "title": None,
            "orient": "top",
            **marks.columns(shown, 2, 11),
            "symbolType": "circle",
            "symbolSize": 80,
            "labelLimit": 400,
            "labelExpr": marks.label(shown),
        },
    }
    layers: list[dict[str, Any]] = []
    lines = sound & (form == OUTLINE)
    if lines.any():
        rows = {"x": xy[lines, 0], "y": xy[lines, 1], "s": at[lines], "n": np.flatnonzero(lines)}
        layers.append(
            {
                "data": base.rows(rows),
                "mark": {"type": "line", "strokeWidth": 1.5, "strokeDash": [4, 3], "tooltip": None},
                "encoding": {
                    **start,
                    "color": colour,
                    "order": {"field": "n", "type": "quantitative"},
                },
            }
        )
    far = sound & (form == ARROW) & (np.abs(xy) > 1e-9 * reach).any(1)
    if far.any():
        layers += [
            {
                "data": base.rows(part),
                "mark": {"type": "rule", "strokeWidth": 2.5, "tooltip": None},
                "encoding": {
                    **start,
                    "x2": {"field": "x2"},
                    "y2": {"field": "y2"},
                    "color": colour,
                },
            }
            for part in _arrows(xy[far], at[far], SIZE / (2 * reach))
        ]
    dots = np.flatnonzero(sound & (form != OUTLINE))
    layers.append(
        {
            "data": base.rows(
                {
                    "x": xy[dots, 0],
                    "y": xy[dots, 1],
                    "s": at[dots],
                    "name": [shown[i] for i in at[dots]],
                    "size": np.where(form[dots] == ARROW, 12.0, 50.0),
                    "where": [
                        f"{base.number(float(a))}, {base.number(float(b))}" for a, b in xy[dots]
                    ],
                }
            ),
            "mark": {"type": "circle", "opacity": 0.85},
            "encoding": {
                **start,
                "color": colour,
                "size": {"field": "size", "type": "quantitative", "scale": None, "legend": None},
                "tooltip": marks.tips(name="series", where=f"{x}, {y}"),
            },
        }
    )
    layers += marks.signs(xy[~sound], SIZE, ink)
    title = base.sentence(table.spec.says) or table.spec.name
    ends = _("; ").join(
        f"{shown[at[i]]} ({base.number(float(xy[i, 0]))}, {base.number(float(xy[i, 1]))})"
        for i in dots[:12]
    )
    words = _("A plane. {title}. {value}.", title=_(title), value=ends or _("Nothing to draw"))
    notes = (of, base.tell_unsound(xy.ravel()))
    return base.chart(title, notes, layers, frame, words, width=SIZE, height=SIZE, dark=dark)


def _arrows(
    to: np.ndarray, series: np.ndarray, scale: float
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Rules for the shafts, and for the two strokes of each head; `scale` in pixels a unit."""
    along = to / np.linalg.norm(to, axis=1, keepdims=True)
    across = np.stack([-along[:, 1], along[:, 0]], 1)
    ends = np.concatenate([to - (11 * along + side * 5 * across) / scale for side in (-1, 1)])
    tips, zero = np.concatenate([to, to]), np.zeros(len(to))
    return (
        {"x": zero, "y": zero, "x2": to[:, 0], "y2": to[:, 1], "s": series},
        {
            "x": tips[:, 0],
            "y": tips[:, 1],
            "x2": ends[:, 0],
            "y2": ends[:, 1],
            "s": np.concatenate([series, series]),
        },
    )


VIEW = View("Outlines", "Which of these lie inside?", (Need(columns=COLUMNS),), draw)
