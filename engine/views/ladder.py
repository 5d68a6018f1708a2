"""The back-off ladder: what each n-gram order adds to one probability, and what the discount took
from it before."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.trace import Table
from engine.language.message import _
from engine.views import base, marks, theme
from engine.views.bars import percent_axis
from engine.views.base import Need, View
from engine.views.figure import Figure

COLUMNS = ("rung", "count", "total", "discount", "weight", "part")
WIDTH, LINE = 560, 46
SERIES = ("given by this order", "taken by the discount", "probability")


def draw(table: Table, *, dark: bool = False, of: str = "") -> Figure:
    """One row of the table a rung, longest context first; the bars stand end to end, and the last
    one is their sum.

    weight  what all longer orders left to this one; `part` is what it adds, weight * (count -
            discount) / total
    """
    frame = table.frame()
    part, ink = frame["part"].to_numpy(float), theme.ink(dark)
    finite = np.isfinite(part)
    own = np.where(finite, part, 0.0)
    total, weight = frame["total"].to_numpy(float), frame["weight"].to_numpy(float)
    taken = weight * frame["discount"].to_numpy(float) / np.where(total > 0, total, 1)
    taken = np.where(
        np.isfinite(taken) & finite & (total > 0) & (own > 0) & (taken > 1e-7), taken, 0
    )
    stop = own.cumsum()
    start, n, whole = stop - own, len(frame), float(own.sum())
    names = [theme.plain(str(r), 34) for r in frame["rung"]]
    counts = [
        _("{c:.0f} of {t:.0f} · ", c=c, t=t) if t > 0 else ""
        for c, t in zip(frame["count"], total, strict=True)
    ]
    under = [
        _("{c}weight {w}", c=c, w=base.number(float(w), True))
        for c, w in zip(counts, weight, strict=True)
    ]
    written = [
        (
            f"{base.number(100 * float(p + t))} − {base.number(100 * float(t))} ="
            f" {base.number(float(p), True)}"
            if t > 0.005 * p
            else base.number(float(p), True)
        )
        for p, t in zip(part, taken, strict=True)
    ]
    bars = {
        "row": [*range(n), *range(n), n],
        "s": [0] * n + [1] * n + [2],
        "start": [*start, *stop, 0.0],
        "stop": [*stop, *(stop + taken), whole],
        "rung": [*names, *names, SERIES[2]],
        "series": [SERIES[0]] * n + [SERIES[1]] * n + [SERIES[2]],
        "written": [*(base.number(float(v), True) for v in (*part, *taken, whole))],
    }
    top = float(max((stop + taken).max(initial=0.0), whole)) or 1.0
    y = {
        "field": "row",
        "type": "ordinal",
        "scale": {"paddingInner": 0.42, "paddingOuter": 0.2},
        "axis": {
            "title": "n-gram",
            "ticks": False,
            "domain": False,
            "labelLineHeight": 14,
            "labelOverlap": False,
            "labelLimit": 260,
            "labelExpr": (
                f"[{base.listed([*names, SERIES[2]])}[datum.value],"
                f" {base.listed([*under, 'the sum of all'])}[datum.value]]"
            ),
        },
    }
    x = marks.amounts("probability (%)", 0, top * 1.5, tickCount=5, **percent_axis(True))
    # the sum written beside the longest bar has room on narrow screens too
    wide = max(map(base.width_of, written), default=0) + 8
    x["scale"]["domain"] = [0, {"expr": f"{top} * max(1.5, width / max(40, width - {wide}))"}]
    colour = marks.series("s", SERIES, [ink.accent, ink.faint, ink.text], direction="vertical")
    layers: list[dict[str, Any]] = [
        marks.bar(
            y,
            x,
            "start",
            "stop",
            colour,
            marks.tips(rung="n-gram", series="what", written="probability"),
            cornerRadius=1,
        ),
        marks.write_beside(
            y,
            x,
            "end",
            ink,
            data=base.rows(
                {
                    "row": list(range(n + 1)),
                    "end": [*(stop + taken), whole],
                    "written": [*written, base.number(whole, True)],
                }
            ),
        ),
    ]
    said = _("; ").join(
        _("{name}: {u}, gives {w}", name=_(name), u=u, w=w)
        for name, u, w in zip(names, under, written, strict=True)
    )
    title = base.sentence(table.spec.says) or "The back-off ladder"
    return base.chart(
        title,
        (of, base.tell_unsound(part)),
        layers,
        frame,
        _(
            "Waterfall. {title}. {said}. Sum: {whole}.",
            title=_(title),
            said=said,
            whole=base.number(whole, True),
        ),
        width=WIDTH,
        height=LINE * (n + 1),
        dark=dark,
        data=base.rows(bars),
    )


VIEW = View(
    "Back-off ladder",
    "Which order gave which part of this probability?",
    (Need(columns=COLUMNS),),
    draw,
)
