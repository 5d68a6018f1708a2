"""Curves: one quantity over another, several series in one picture, on plain or logarithmic
axes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.core.trace import Table
from engine.language import numbers
from engine.language.message import _
from engine.views import base, marks, theme
from engine.views.base import Need, View
from engine.views.figure import Figure

COLUMNS = ("series", "x", "value")
# series of at most MARKED points show each of them, one of a single point always does
WIDTH, HEIGHT, MARKED = 620, 260, 40
# the colours begin again after eight series; the dashes tell them apart
DASHES = ([1, 0], [5, 3], [2, 2])


def draw(
    table: Table,
    *,
    dark: bool = False,
    of: str = "",
    x: str = "x",
    y: str = "value",
    of_series: str = "series",
    log_x: bool = False,
    log_y: bool = False,
    whole: bool = False,
    counts: bool = False,
    tight: bool = False,
    low: float | None = None,
    high: float | None = None,
) -> Figure:
    """Rows of one series are joined in the order of x.  What a logarithmic axis cannot hold (0 and
    less) is left out and said.

    x, y, of_series  words for the axes and the legend
    whole, counts    x, or y, takes whole numbers only, so that the ticks do
    tight            the x axis ends where the numbers do
    low, high        both given: where the y axis begins and ends, so that pictures side by side compare
    """
    frame = table.frame()[list(COLUMNS)].reset_index(drop=True)
    names = list(dict.fromkeys(str(s) for s in frame["series"]))
    at = np.array([names.index(str(s)) for s in frame["series"]], int)
    xs, values = frame["x"].to_numpy(float), frame["value"].to_numpy(float)
    sound = np.isfinite(xs) & np.isfinite(values)
    drawn = sound & ~((xs <= 0) & log_x) & ~((values <= 0) & log_y)
    shown = theme.series(names)
    often = np.bincount(at[drawn], minlength=len(names))
    few = bool(often.max(initial=0) <= MARKED)
    ink = theme.ink(dark)
    rows = {
        "s": at[drawn],
        "x": xs[drawn],
        "v": values[drawn],
        "name": [shown[i] for i in at[drawn]],
        "seen": (few | (often == 1))[at[drawn]].astype(float),
        "at": [base.number(float(n)) for n in xs[drawn]],
        "written": [base.number(float(v)) for v in values[drawn]],
    }
    counted = sorted({float(n) for n in xs[drawn]})
    ticks: dict[str, Any] = (
        {"values": counted, "format": "d"}
        if whole and len(counted) < 12
        else {**_ticks(log_x, xs[drawn]), **({"tickMinStep": 1} if whole else {})}
    )
    place = {
        "x": {
            "field": "x",
            "type": "quantitative",
            "scale": {"zero": False, "nice": False} if tight and not log_x else _scale(log_x),
            "axis": {
                "title": x,
                "domain": False,
                "grid": False,
                "labelOverlap": True,
                "labelSeparation": 8,
                **ticks,
            },
        },
        "y": {
            "field": "v",
            "type": "quantitative",
            "scale": _scale(log_y, values[drawn])
            if low is None or high is None
            else {"domain": [low, high], "nice": False},
            "axis": {
                "title": y,
                "domain": False,
                "ticks": False,
                "tickCount": 6,
                **({"tickMinStep": 1} if counts else {}),
                "labelOverlap": True,
                **_ticks(log_y, values[drawn]),
            },
        },
    }
    order = list(range(len(names)))
    # beside curves a single point bears its name; the legend has those that are lines
    dots = often == 1 if (often > 1).any() else np.zeros(len(names), bool)
    listed = [i for i in order if not dots[i]]
    size = 10 if len(listed) > 3 else 11
    legend = {
        "labelExpr": marks.label(shown),
        "symbolType": "stroke",
        "symbolStrokeWidth": 3,
        "symbolSize": 160,
        "columnPadding": 8,
        "orient": "top",
        "direction": "horizontal",
        **marks.columns([shown[i] for i in listed], 2 if len(listed) > 3 else len(listed), size),
        "values": listed,
        "offset": 8,
        "labelFontSize": size,
    }
    colour = {
        "field": "s",
        "type": "ordinal",
        "title": of_series,
        "legend": legend if len(names) > 1 else None,
        "scale": {"domain": order, "range": theme.categories(len(names), dark)},
    }
    dash = {
        "field": "s",
        "type": "ordinal",
        "title": of_series,
        "legend": legend if len(names) > 1 else None,
        "scale": {"domain": order, "range": [list(DASHES[i // 8 % 3]) for i in order]},
    }
    tooltip = marks.tips(name=of_series, at=x, written=y)
    layers: list[dict[str, Any]] = [
        {
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": {**place, "color": colour, "strokeDash": dash},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 36 if few else 60},
            "encoding": {
                **place,
                "color": colour,
                "tooltip": tooltip,
                "opacity": {"field": "seen", "type": "quantitative", "scale": None, "legend": None},
            },
        },
    ]
    if dots.any():
        alone = np.flatnonzero(drawn)[dots[at[drawn]]]
        late = _late(log_x, xs[alone], xs[drawn])  # a name to the right of these would be cut off
        for side, mine in (("left", alone[~late]), ("right", alone[late])):
            if not len(mine):
                continue
            layers.append(
                {
                    "data": base.rows(
                        {"x": xs[mine], "v": values[mine], "said": [shown[i] for i in at[mine]]}
                    ),
                    "mark": {
                        "type": "text",
                        "align": side,
                        "baseline": "middle",
                        "dx": 7 if side == "left" else -7,
                        "color": ink.text,
                        "tooltip": None,
                    },
                    "encoding": {**place, "text": {"field": "said", "type": "nominal"}},
                }
            )
    layers += marks.signs(np.stack([values, xs], 1)[~sound], HEIGHT, ink)
    title = base.sentence(table.spec.says) or table.spec.name
    left = int((sound & ~drawn).sum())
    cut = (
        _(
            "{left:,} {value} 0 or less, which a logarithmic axis cannot show.",
            left=left,
            value=_("point is") if left == 1 else _("points are"),
        )
        if left
        else ""
    )
    words = _(
        "Curves. {title}. {y} over {x}: {names}.",
        title=_(title),
        y=_(y),
        x=_(x),
        names=_ends(names, at, xs, values, drawn),
    )
    notes = (of, cut, base.tell_unsound(np.where(np.isfinite(xs), values, xs)))
    return base.chart(
        title,
        notes,
        layers,
        frame,
        words,
        width=WIDTH,
        height=HEIGHT,
        dark=dark,
        data=base.rows(rows),
    )


def _late(log: bool, points: np.ndarray, among: np.ndarray) -> np.ndarray:
    """Which of the points lie in the last quarter of the axis that all of them need."""
    if log:
        points, among = np.log(points), np.log(among)
    low, high = among.min(), among.max()
    return np.asarray(points - low > 0.75 * (high - low))


def _scale(log: bool, values: np.ndarray | None = None) -> dict[str, Any]:
    """With room around the curves, but none below 0 where they come down to it."""
    if log:
        return {"type": "log", "nice": False}
    if values is not None and values.size and 0 <= values.min() <= values.max() / 20:
        return {"zero": True, "nice": True}
    return {"zero": False, "nice": True, "padding": 6}


def _ticks(log: bool, values: np.ndarray) -> dict[str, Any]:
    """Large numbers short (2M); on a logarithmic axis powers of ten, and 2 and 5 between them where
    there are few."""
    if not log:
        return {"labelExpr": marks.AXIS_NUMBER}
    low, high = (float(values.min()), float(values.max())) if len(values) else (1.0, 10.0)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    step = max(1, -(-(last - first) // 7))
    between = (1, 2, 5) if last - first <= 3 else (1,)
    ticks = [
        k * 10.0**e
        for e in range(first, last + 1, step)
        for k in between
        if low * 0.999 <= k * 10.0**e <= high * 1.001
    ] or [low, high]
    return {
        "values": ticks,
        "labelExpr": f"{base.listed(_powers(ticks))}[indexof({ticks}, datum.value)]",
    }


def _powers(ticks: list[float]) -> list[str]:
    """Numbers of a logarithmic axis, all in one way: as powers where some need it."""
    powers = [math.log10(tick) for tick in ticks]
    if not all(1e-3 <= tick < 1e6 for tick in ticks):
        return [
            "1"
            if not round(p)
            else "10" + str(round(p)).translate(numbers.SUPERSCRIPT)
            if abs(p - round(p)) < 1e-9
            else numbers.figures(tick)
            for tick, p in zip(ticks, powers, strict=True)
        ]
    return [f"{tick:,g}" if tick < 1 else numbers.figures(tick) for tick in ticks]


def _ends(
    names: list[str], at: np.ndarray, xs: np.ndarray, values: np.ndarray, drawn: np.ndarray
) -> str:
    """Per series where it begins and ends."""
    said = []
    for i, name in enumerate(names):
        mine = np.flatnonzero(drawn & (at == i))
        if len(mine):
            first, last = mine[np.argmin(xs[mine])], mine[np.argmax(xs[mine])]
            said.append(
                _(
                    "{name} from {values} to {values_2}",
                    name=theme.plain(name, 40),
                    values=base.number(float(values[first])),
                    values_2=base.number(float(values[last])),
                )
            )
    return _("; ").join(said) or _("nothing to draw")


VIEW = View("Curves", "How fast does it grow or fall?", (Need(columns=COLUMNS),), draw)
