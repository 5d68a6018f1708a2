"""A distribution over the next token, as bars, largest first."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.trace import Field, Kind
from engine.language.message import _
from engine.views import base, marks, theme
from engine.views.base import Need, View
from engine.views.figure import Figure

WIDTH, LINE = 460, 24


def draw(
    field: Field, *, top: int = 20, end: float = 0.0, dark: bool = False, of: str = ""
) -> Figure:
    """The `top` largest; what is not drawn is said.  Numbers that are not finite come last, as a
    sign without a bar.

    end  where the axis ends at least: the same in pictures that are compared
    """
    (axis,) = field.axes
    spec, values, ink, share = (
        field.spec,
        field.values.astype(float),
        theme.ink(dark),
        base.is_share(field.spec),
    )
    order = np.argsort(-np.where(np.isfinite(values), values, -np.inf), kind="stable")[
        : max(1, top)
    ]
    drawn = values[order]
    frame = base.arranged(field, axis.name, order.tolist()).frame()  # of a vocabulary a few alone
    frame[axis.name] = order
    frame.insert(0, "rank", np.arange(1, len(order) + 1))
    names = [theme.visible(str(word)) for word in frame[f"{axis.name}_label"]]
    finite = np.isfinite(drawn)
    low, high = (
        float(min(0.0, drawn[finite].min(initial=0.0))),
        max(end, float(drawn[finite].max(initial=0.0))) or 1.0,
    )
    rows = base.rows(
        {
            "rank": np.arange(len(order)),
            "value": drawn,
            "zero": np.zeros(len(order)),
            "end": np.where(finite, np.maximum(drawn, 0), 0),
            "word": names,
            "measure": [base.measure(spec)] * len(order),
            "written": [base.number(float(v), share) for v in drawn],
        }
    )
    y = marks.named(
        "rank", base.axis_title(axis.name), names, labelAngle=0, maxExtent=marks.room(names)
    )
    x = marks.amounts(base.measure(spec), low, high * 1.14, tickCount=5, **percent_axis(share))
    layers: list[dict[str, Any]] = [
        marks.bar(
            y,
            x,
            "zero",
            "value",
            marks.name_mark("measure", base.measure(spec), ink.accent),
            marks.tips(word=axis.name, written="value"),
            cornerRadiusEnd=2,
        ),
        marks.write_beside(y, x, "end", ink),
    ]
    more: str = ""
    if len(order) < len(axis) and share:
        more = _(
            "; {value} not shown",
            value=base.number(max(0.0, float(np.nansum(values) - np.nansum(drawn))), True),
        )
    elif len(order) < len(axis) and spec.kind is Kind.COUNT:
        more = _(
            "; {values:,.0f} of {values_2:,.0f} occurrences not shown",
            values=np.nansum(values) - np.nansum(drawn),
            values_2=np.nansum(values),
        )
    counts = {"order": len(order), "axis": len(axis)}
    said = _("Top {order:,} of {axis:,}", **counts) + more
    some = ": " + _("top {order:,} of {axis:,}", **counts) + more
    title = _(base.says(spec)) + (some if len(order) < len(axis) else "")
    best = (
        _(
            " Largest: “{names}”, {drawn}.",
            names=names[0],
            drawn=base.number(float(drawn[0]), share),
        )
        if finite.any()
        else ""
    )
    return base.chart(
        title,
        (of, base.tell_unsound(values)),
        layers,
        frame,
        _("Bars. {spec}. {said}.{best}", spec=base.says(spec), said=said, best=best),
        width=WIDTH,
        height=LINE * len(order),
        dark=dark,
        data=rows,
    )


def percent_axis(share: bool) -> dict[str, Any]:
    return (
        {"labelExpr": "format(datum.value * 100, '~g') + ' %'"}
        if share
        else {"labelExpr": marks.AXIS_NUMBER}
    )


VIEW = View("Bars", "What does the model predict?", (Need(("next",)), Need(1)), draw, canvas="bars")
