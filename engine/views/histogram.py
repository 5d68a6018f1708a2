"""A histogram: how many things have which length, one bar for each stretch of lengths, from `start`
up to and without `stop`."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.trace import Table
from engine.language.message import _
from engine.views import base, marks, theme
from engine.views.base import Need, View
from engine.views.figure import Figure

COLUMNS = ("start", "stop", "value")
WIDTH, HEIGHT = 420, 220


def draw(
    table: Table,
    *,
    dark: bool = False,
    of: str = "",
    x: str = "length",
    y: str = "how many",
    what: str = "all",
) -> Figure:
    """x, y: words for the axes; what: is counted, for the legend.  The bars are wide enough to
    touch; what is not finite is said and not drawn."""
    frame = table.frame()[list(COLUMNS)].reset_index(drop=True)
    starts, stops, values = (frame[name].to_numpy(float) for name in COLUMNS)
    drawn = np.isfinite(starts) & np.isfinite(stops) & np.isfinite(values)
    said = [
        base.number(a) if b - a == 1 else _("{a} to {b}", a=base.number(a), b=base.number(b - 1))
        for a, b in zip(starts[drawn], stops[drawn], strict=True)
    ]
    ink = theme.ink(dark)
    # a bar of one length stands over its number
    middle = 0.5 * bool(said and (stops - starts)[drawn].max() == 1)
    rows = {
        "s": np.zeros(len(said)),
        "a": starts[drawn] - middle,
        "b": stops[drawn] - middle,
        "v": values[drawn],
        "at": said,
        "written": [f"{v:,.0f}" for v in values[drawn]],
    }
    place: dict[str, Any] = {
        "x": {
            "field": "a",
            "type": "quantitative",
            "bin": "binned",
            "scale": {"zero": False, "nice": False},
            "axis": {
                "title": x,
                "grid": False,
                "domain": False,
                "tickCount": 8,
                "labelOverlap": True,
            },
        },
        "x2": {"field": "b"},
        "y": {
            "field": "v",
            "type": "quantitative",
            "scale": {"zero": True},
            "axis": {
                "title": y,
                "labelExpr": marks.AXIS_NUMBER,
                "domain": False,
                "ticks": False,
                "tickCount": 4,
            },
        },
        "tooltip": marks.tips(at=x, written=y),
    }
    colour = {
        "field": "s",
        "type": "ordinal",
        "title": None,
        "scale": {"domain": [0], "range": theme.categories(1, dark)},
        "legend": {"labelExpr": marks.label([what]), "orient": "top"},
    }
    layers: list[dict[str, Any]] = [
        {"mark": {"type": "bar", "binSpacing": 0.5}, "encoding": {**place, "color": colour}}
    ]
    layers += marks.signs(values[~drawn, None], HEIGHT, ink)
    most = int(np.argmax(values[drawn])) if drawn.any() else 0
    told = (
        _("Most, {rows}, have {said}.", rows=rows["written"][most], said=said[most])
        if said
        else "Nothing to draw."
    )
    title = base.sentence(table.spec.says) or table.spec.name
    words = _("Histogram. {title}. {y} over {x}. {told}", title=_(title), y=_(y), x=_(x), told=told)
    return base.chart(
        title,
        (of, base.tell_unsound(values)),
        layers,
        frame,
        words,
        width=WIDTH,
        height=HEIGHT,
        dark=dark,
        data=base.rows(rows),
    )


VIEW = View("Histogram", "How long are they?", (Need(columns=COLUMNS),), draw)
