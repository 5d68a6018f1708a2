"""How surprising each token of a text is: a bar for each, and a mark on those that are
impossible."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.trace import Table
from engine.language.message import _
from engine.views import base, marks, theme
from engine.views.base import Need, View
from engine.views.figure import Figure

COLUMNS = ("token", "bits", "probability", "group")
GROUPS = ("word", "sentence end", "unknown word", "probability 0")
HEIGHT, MOST = 230, 80


def draw(
    table: Table, *, dark: bool = False, of: str = "", unit: str = "bits", mean: float | None = None
) -> Figure:
    """Rows are tokens in order; the first 80 are drawn, the table holds all.

    bits   the surprisal, in whatever `unit` says
    group  0 a word, 1 a sentence end, 2 an unknown word.  What has probability 0 has a bar to the
           top, drawn as an outline
    mean   where to draw a line
    """
    whole = table.frame()[list(COLUMNS)].reset_index(drop=True)
    frame = whole.head(MOST)
    height, p = frame["bits"].to_numpy(float) + 0.0, frame["probability"].to_numpy(float)
    never, sound = p <= 0, np.isfinite(height)
    top = 1.12 * max(float(height[sound & ~never].max(initial=0.0)), mean or 0.0) or 1.0
    group = np.where(never, 3, np.clip(frame["group"].to_numpy(int), 0, 2))
    used = sorted(set(group.tolist())) or [0]
    words, ink = [theme.visible(str(w), 16) for w in frame["token"]], theme.ink(dark)
    signs = ["P = 0" if z else base.number(float(v)) for z, v in zip(never, height, strict=True)]
    rows: dict[str, Any] = {
        "t": np.arange(len(frame)),
        "zero": np.zeros(len(frame)),
        "v": np.where(never, top, np.where(sound, height, 0)),
        "g": group,
        "word": words,
        "sign": signs,
        "said": [
            _("impossible: infinitely many {unit}", unit=_(unit)) if z else s
            for z, s in zip(never, signs, strict=True)
        ],
        "p": [base.number(float(v), True) for v in p],
    }
    width = int(np.clip(44 * len(frame), 260, 860))
    step = width / max(1, len(frame))
    upright = any(base.width_of(w) > step for w in words)
    x = {
        "field": "t",
        "type": "ordinal",
        "scale": {"paddingInner": 0.18, "paddingOuter": 0.09},
        "axis": {
            "title": "token",
            "labelExpr": marks.label(words),
            "labelAngle": -90 if upright else 0,
            "ticks": False,
            "labelOverlap": False,
            "maxExtent": (max(map(base.width_of, words), default=0) if upright else 14) + 8,
        },
    }
    y = marks.amounts(
        _("surprisal ({unit})", unit=_(unit)), 0, top * 1.06, tickCount=5, format="~g"
    )
    colours = theme.categories(4, dark)
    order = [colours[0], colours[2], colours[3], colours[1]]
    colour = {
        "field": "g",
        "type": "ordinal",
        "title": None,
        "scale": {"domain": used, "range": [order[k] for k in used]},
        "legend": {
            "orient": "top",
            "symbolType": "square",
            "symbolStrokeWidth": 0,
            "labelExpr": marks.label(theme.series(GROUPS)),
        },
    }
    tooltip = marks.tips(word="token", p="probability", said="surprisal")
    bar = {"x": x, "y": {**y, "field": "zero"}, "y2": {"field": "v"}, "tooltip": tooltip}
    layers: list[dict[str, Any]] = [
        {
            "transform": [{"filter": "datum.g != 3"}],
            "mark": {"type": "bar", "cornerRadiusEnd": 2},
            "encoding": {**bar, "color": colour},
        },
        {
            "transform": [{"filter": "datum.g == 3"}],
            "mark": {
                "type": "bar",
                "fillOpacity": 0.12,
                "strokeWidth": 1.5,
                "strokeDash": [4, 3],
                "stroke": order[3],
            },
            "encoding": {**bar, "color": colour},
        },
        {
            "mark": {
                "type": "text",
                "dy": -7,
                "fontSize": 11 if step > 26 else 9,
                "color": ink.text,
                "tooltip": None,
            },
            "encoding": {
                "x": x,
                "y": {**y, "field": "v"},
                "text": {"field": "sign", "type": "nominal"},
            },
        },
    ]
    if mean is not None:
        layers.append(
            {
                "data": base.rows({"mean": [mean]}),
                "mark": {"type": "rule", "strokeDash": [6, 3], "color": ink.quiet, "tooltip": None},
                "encoding": {"y": {**y, "field": "mean"}},
            }
        )
    says = base.sentence(table.spec.says) or "Surprisal of each token"
    cut = (
        _("The first {most} of {whole:,} tokens are drawn.", most=MOST, whole=len(whole))
        if len(whole) > MOST
        else ""
    )
    line = (
        _(
            "The dashed line is the mean, {mean} {unit} per token.",
            mean=base.number(mean),
            unit=_(unit),
        )
        if mean is not None
        else ""
    )
    gone = (
        _(
            "{never:,} {value} probability 0 and no height.",
            never=never.sum(),
            value=_("token has") if never.sum() == 1 else _("tokens have"),
        )
        if never.any()
        else ""
    )
    spoken = ", ".join(f"{w} {s}" for w, s in zip(words, signs, strict=True))
    return base.chart(
        says,
        (of, line, gone, cut, base.tell_unsound(height[~never])),
        layers,
        whole,
        _("Bars. {says}. {gone} {value}.", says=_(says), gone=gone, value=spoken or _("No tokens")),
        width=width,
        height=HEIGHT,
        dark=dark,
        data=base.rows(rows),
    )


VIEW = View("Surprisal", "Which token surprised the model most?", (Need(columns=COLUMNS),), draw)
