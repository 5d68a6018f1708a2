"""Several distributions over the same tokens: under each token one bar per series."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.trace import Table
from engine.language.message import _
from engine.views import base, marks, theme
from engine.views.base import Need, View
from engine.views.figure import Figure

COLUMNS = ("series", "token", "share")
WIDTH, LINE, MOST = 420, 10, 24


def draw(table: Table, *, dark: bool = False, of: str = "") -> Figure:
    """Rows of each series in the order of the text.  Of more than MOST tokens those with the
    largest share anywhere are drawn."""
    frame, ink = table.frame(), theme.ink(dark)
    names = list(dict.fromkeys(str(s) for s in frame["series"]))
    series = np.array([names.index(str(s)) for s in frame["series"]], int)
    place = (
        frame.groupby("series", sort=False).cumcount().to_numpy()
        if len(frame)
        else np.zeros(0, int)
    )
    share = frame["share"].to_numpy(float)
    finite = np.isfinite(share)
    count = int(place.max(initial=-1)) + 1
    largest = np.zeros(count)
    np.maximum.at(largest, place, np.where(finite, share, 0))
    kept = np.sort(np.argsort(-largest, kind="stable")[:MOST])
    row = np.full(count, -1)
    row[kept] = np.arange(len(kept))
    shown = row[place] >= 0 if count else np.zeros(0, bool)
    labels = [theme.visible(str(label), 20) for label in frame["token"]]
    words = [labels[int(np.flatnonzero(place == k)[0])] for k in kept]
    high = max(float(share[finite & shown].max(initial=0.0)), 0.01) * 1.14
    said = theme.series(names)
    data = base.rows(
        {
            "row": row[place][shown],
            "s": series[shown],
            "v": np.where(finite, share, 0)[shown],
            "token": [labels[i] for i in np.flatnonzero(shown)],
            "name": [said[i] for i in series[shown]],
            "written": [base.number(float(v), True) for v in share[shown]],
            "sign": [
                "" if ok else base.number(float(v))
                for v, ok in zip(share[shown], finite[shown], strict=True)
            ],
        }
    )
    y = {
        "field": "row",
        "type": "ordinal",
        "scale": {"paddingInner": 0.25},
        "axis": {
            "title": "token",
            "labelExpr": marks.said(words),
            "ticks": False,
            "domain": False,
            "labelOverlap": False,
            "labelFontSize": 12,
            "maxExtent": max(map(base.width_of, words), default=0) + 14,
        },
    }
    x = {
        "field": "v",
        "type": "quantitative",
        "scale": {"domain": [0, high], "nice": False},
        "axis": {
            "title": "share",
            "labelExpr": "format(datum.value * 100, '~g') + ' %'",
            "tickCount": 5,
            "domain": False,
            "ticks": False,
        },
    }
    order = list(range(len(names)))
    colour = marks.series("s", said, theme.categories(len(names), dark))
    beside = {"field": "s", "type": "ordinal", "scale": {"domain": order}}
    tooltip = [
        {"field": "token", "type": "nominal"},
        {"field": "name", "type": "nominal", "title": "series"},
        {"field": "written", "type": "nominal", "title": "share"},
    ]
    layers: list[dict[str, Any]] = [
        {
            "mark": {"type": "bar"},
            "encoding": {"y": y, "yOffset": beside, "x": x, "color": colour, "tooltip": tooltip},
        },
        {
            "mark": {
                "type": "text",
                "align": "left",
                "baseline": "middle",
                "dx": 4,
                "fontSize": 10,
                "color": ink.text,
                "tooltip": None,
            },
            "encoding": {
                "y": y,
                "yOffset": beside,
                "x": x,
                "text": {"field": "sign", "type": "nominal"},
            },
        },
    ]
    title = base.sentence(table.spec.says) or table.spec.name
    cut = (
        _(
            "{most} of {count:,} tokens are drawn: those with the largest share in any of them.",
            most=MOST,
            count=count,
        )
        if count > MOST
        else ""
    )
    best = [(said[s], np.flatnonzero((series == s) & finite)) for s in order]
    most = _(", ").join(
        f"{name} “{labels[i]}” {base.number(float(share[i]), True)}"
        for name, mine in best
        if len(mine)
        for i in [mine[share[mine].argmax()]]
    )
    alt = (
        _("Bars. {title}. Largest of each: {most}.", title=_(title), most=most)
        if most
        else _("Bars. {title}. Nothing to draw.", title=_(title))
    )
    height = max(1, LINE * len(names) * len(kept) * 4 // 3)
    return base.chart(
        title,
        (of, cut, base.unsound(share)),
        layers,
        frame,
        alt,
        width=WIDTH,
        height=height,
        dark=dark,
        data=data,
    )


VIEW = View("Shares", "Are the shares distributed alike?", (Need(columns=COLUMNS),), draw)
