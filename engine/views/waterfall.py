"""A running total, step by step: each bar begins where the one before it ended."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.trace import Table
from engine.language.message import _
from engine.views import base, marks, theme
from engine.views.base import Need, View
from engine.views.figure import Figure

COLUMNS = ("step", "before", "after")
WIDTH, LINE, MOST = 460, 24, 80


def draw(
    table: Table,
    *,
    title: str = "",
    axis: str = "running total",
    powers: bool = False,
    named: bool = False,
    dark: bool = False,
    of: str = "",
) -> Figure:
    """One bar per row, from `before` to `after`; the first 80 rows are drawn, the table holds all.

    powers  the numbers are exponents of ten
    named   the steps are names, not pieces of a text, whose spaces are to be seen
    """
    whole = table.frame()
    frame = whole.head(MOST)
    before, after = frame["before"].to_numpy(float), frame["after"].to_numpy(float)
    finite = np.isfinite(before) & np.isfinite(after)
    word = theme.plain if named else theme.visible
    names, ink = [word(str(step), 24) or "∅" for step in frame["step"]], theme.ink(dark)
    ends = np.concatenate([before[finite], after[finite]])
    low, high = float(min(0.0, ends.min(initial=0.0))), float(max(0.0, ends.max(initial=0.0)))
    high = high if high > low else low + 1.0
    written = [
        f"10^{base.number(float(v))}" if powers and np.isfinite(v) else base.number(float(v))
        for v in after
    ]
    data = base.rows(
        {
            "row": np.arange(len(frame)),
            "before": np.where(finite, before, low),
            "after": np.where(finite, after, low),
            "end": np.where(finite, np.maximum(before, after), low),
            "step": names,
            "written": written,
            "what": [axis] * len(frame),
        }
    )
    y = marks.named("row", None if named else "step", names, maxExtent=marks.room(names))
    x = marks.amounts(
        axis,
        low,
        high + 0.16 * (high - low),
        tickCount=5,
        labelExpr=(
            "datum.value > 0 ? '' : '10^' + format(datum.value, '~g')"
            if powers
            else "format(datum.value, '~g')"
        ),
    )
    layers: list[dict[str, Any]] = [
        marks.bar(
            y,
            x,
            "before",
            "after",
            marks.name_mark("what", axis, ink.accent),
            [
                {"field": "step", "type": "nominal"},
                {"field": "written", "type": "nominal", "title": axis},
            ],
            cornerRadius=1,
        ),
        marks.write_beside(y, x, "end", ink),
    ]
    says = title or base.sentence(table.spec.says) or "Step by step"
    cut = (
        _("The first {most} of {whole:,} steps are drawn.", most=MOST, whole=len(whole))
        if len(whole) > MOST
        else ""
    )
    last = _(" It ends at {written}.", written=written[-1]) if written else ""
    return base.chart(
        says,
        (of, cut, base.tell_unsound(np.concatenate([before, after]))),
        layers,
        whole,
        _("Waterfall. {says}. {frame} steps.{last}", says=_(says), frame=len(frame), last=last),
        width=WIDTH,
        height=max(LINE, LINE * len(frame)),
        dark=dark,
        data=data,
    )


VIEW = View(
    "Waterfall", "How does it add up, step by step?", (Need(columns=COLUMNS),), draw, canvas="chain"
)
