"""Per method, how much of the whole goes to tokens that were seen after the context and how much to
the others."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.trace import Field, Kind
from engine.language.message import _
from engine.views import base, marks, theme
from engine.views.bars import percent_axis
from engine.views.base import Need, View
from engine.views.figure import Figure

WIDTH, LINE = 420, 30
PARTS = ("seen after this context", "not seen after it")


def draw(field: Field, *, seen: int = 0, dark: bool = False, of: str = "") -> Figure:
    """Rows of probabilities, of which the first `seen` columns are of tokens that followed the
    context; the sum is written."""
    if field.axis_names == ("next", "method"):
        field = Field(
            base.with_axes(field.spec, ("method", "next")), field.values.T, field.axes[::-1]
        )
    methods, __ = field.axes
    values, ink = field.values.astype(float), theme.ink(dark)
    finite = np.isfinite(values)
    solid = np.where(finite, values, 0.0)
    stop = np.stack([solid[:, :seen].sum(1), solid.sum(1)], 1)
    start = np.stack([np.zeros(len(stop)), stop[:, 0]], 1)
    names = base.labels(methods)
    r, s = (i.ravel() for i in np.indices(stop.shape))
    columns: dict[str, Any] = {
        "r": r,
        "s": s,
        "start": start.ravel(),
        "stop": stop.ravel(),
        "method": [names[i] for i in r],
        "part": [PARTS[i] for i in s],
        "written": [base.number(float(v), True) for v in (stop - start).ravel()],
    }
    sums = [
        "".join(sorted({f"{base.number(float(x))} " for x in row[~ok]})) + f"{v:.3f}"
        for v, row, ok in zip(stop[:, 1], values, finite, strict=True)
    ]
    y = marks.named("r", "method", names, 0.3)
    top = max(1.0, float(stop.max(initial=0.0)))
    x = marks.amounts(
        "share of the whole (%)",
        0,
        top * 1.28,
        values=[0, 0.25, 0.5, 0.75, 1],
        **percent_axis(True),
    )
    colour = marks.series("s", PARTS, theme.categories(2, dark), direction="vertical")
    layers: list[dict[str, Any]] = [
        marks.bar(
            y,
            x,
            "start",
            "stop",
            colour,
            marks.tips(method="method", part="part", written="share"),
            cornerRadius=1,
        ),
        marks.beside(
            y,
            x,
            "end",
            ink,
            data=base.rows({"r": list(range(len(names))), "end": stop[:, 1], "written": sums}),
        ),
        {
            "data": {"values": [{"one": 1}]},
            "mark": {"type": "rule", "color": ink.text, "strokeDash": [4, 3]},
            "encoding": {"x": {**x, "field": "one"}},
        },
    ]
    listed = _("; ").join(
        _("{n}: {a} seen, sum {t}", n=n, a=base.number(float(a), True), t=t)
        for n, a, t in zip(names, stop[:, 0], sums, strict=True)
    )
    title = "Where the mass goes; the sum at the end of each bar"
    return base.chart(
        title,
        (of, base.unsound(values)),
        layers,
        field.frame(),
        _("Stacked bars. {title}. {listed}.", title=_(title), listed=listed),
        width=WIDTH,
        height=max(1, LINE * len(methods)),
        dark=dark,
        data=base.rows(columns),
    )


VIEW = View(
    "Seen and unseen",
    "How much does each method reserve for unseen words?",
    (Need(("method", "next"), frozenset({Kind.PROBABILITY})),),
    draw,
)
