"""Areas under the ROC curve as bars from one half, the chance level: to the right higher where it
holds, to the left lower."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.trace import Table
from engine.language.message import _
from engine.views import base, marks, theme
from engine.views.base import Need, View
from engine.views.figure import Figure

COLUMNS = ("word", "value", "q")
WIDTH, LINE, MOST = 520, 24, 40
SERIES = ("found", "may be chance")


def draw(table: Table, *, rate: float = 0.05, dark: bool = False, of: str = "") -> Figure:
    """Rows in the order of the table; `value` is the area, `q` the false discovery rate at which it
    counts as found."""
    frame = table.frame()
    total, frame = len(frame), frame.head(MOST)
    value, ink = frame["value"].to_numpy(float), theme.ink(dark)
    finite = np.isfinite(value)
    end = np.clip(np.where(finite, value, 0.5), 0, 1)
    found = frame["q"].to_numpy(float) <= rate
    names = [theme.plain(str(w), 32) or "∅" for w in frame["word"]]
    rows = base.rows(
        {
            "row": np.arange(len(frame)),
            "half": np.full(len(frame), 0.5),
            "v": end,
            "far": np.maximum(end, 0.5),
            "s": (~found).astype(int),
            "word": names,
            "written": [base.number(float(v)) for v in value],
            "q": [base.number(float(q)) for q in frame["q"]],
        }
    )
    y = marks.named("row", "hypothesis", names, maxExtent=marks.room(names))
    x = marks.amounts("AUC (0.5 is chance)", 0, 1.25, values=[0, 0.25, 0.5, 0.75, 1], format=".2~f")
    series = [f"{SERIES[0]}, q ≤ {100 * rate:g} %", SERIES[1]]
    colour = marks.series("s", series, [ink.accent, ink.faint])
    tooltip = marks.tips(word="hypothesis", written="AUC", q="q")
    layers: list[dict[str, Any]] = [
        marks.bar(y, x, "half", "v", colour, tooltip),
        marks.write_beside(y, x, "far", ink),
        {
            "data": {"values": [{"x": 0.5}]},
            "mark": {"type": "rule", "color": ink.quiet, "tooltip": None},
            "encoding": {"x": {**x, "field": "x"}},
        },
    ]
    title = base.sentence(table.spec.says) or "How well the unit separates each hypothesis"
    cut = (
        _("The first {most} of {total} are drawn.", most=MOST, total=total) if total > MOST else ""
    )
    best = _("; ").join(
        f"{names[i]} {base.number(float(value[i]))}" for i in np.flatnonzero(finite)[:3].tolist()
    )
    said = _(
        "Bars from one half. {title}. First: {value}.",
        title=_(title),
        value=best or _("nothing to draw"),
    )
    notes = (of, cut, base.tell_unsound(value))
    return base.chart(
        title,
        notes,
        layers,
        table.frame(),
        said,
        width=WIDTH,
        height=max(1, LINE * len(frame)),
        dark=dark,
        data=rows,
    )


VIEW = View("AUC", "Which hypothesis does the unit separate best?", (Need(columns=COLUMNS),), draw)
