"""Per token, what each n-gram order adds to its probability: shares on top of each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.figure import Figure
from engine.trace import Field, Kind
from engine.views import base, theme
from engine.views.bars import percent_axis
from engine.views.base import Need, View

HEIGHT = 260


def draw(field: Field, *, dark: bool = False, of: str = "") -> Figure:
    """Orders are stacked in the field's order, the first at the bottom.  A share that is not finite leaves a sign on top."""
    if field.axis_names == ("order", "token"):
        field = Field(base.with_axes(field.spec, ("token", "order")), field.values.T, field.axes[::-1])
    tokens, orders = field.axes
    spec, values, share = field.spec, field.values.astype(float), field.spec.kind is not Kind.COUNT
    finite = np.isfinite(values)
    solid = np.where(finite, values, 0.0)
    stop = solid.cumsum(1)
    token, order = np.indices(values.shape)
    words, names = base.labels(tokens, 16), base.labels(orders)
    columns: dict[str, Any] = {
        "t": token.ravel(), "start": (stop - solid).ravel(), "stop": stop.ravel(), "v": values.ravel(),
        "word": [words[i] for i in token.ravel()], "order": [names[i] for i in order.ravel()], "o": order.ravel(),
        "written": [base.number(float(v), share) for v in values.ravel()],
    }  # fmt: skip
    width = int(np.clip(34 * len(tokens), 220, 760 if len(tokens) <= 76 else 10 * len(tokens)))
    step = width / max(1, len(tokens))
    upright = any(base.width_of(w) > step for w in words)
    x = {"field": "t", "type": "ordinal", "scale": {"paddingInner": 0.18, "paddingOuter": 0.09}, "axis": {
        "title": base.axis_title(tokens.name), "labelExpr": f"{base.listed(words)}[datum.value]", "labelAngle": -90 if upright else 0,
        "ticks": False, "labelOverlap": False, "maxExtent": (max(map(base.width_of, words), default=0) if upright else 14) + 8}}  # fmt: skip
    top = max(1.0 if share else 0.0, float(stop.max(initial=0.0))) or 1.0
    y = {"type": "quantitative", "scale": {"domain": [0, top], "nice": False}, "axis": {
        "title": "share of the probability (%)" if share else base.measure(spec), "tickCount": 5, "domain": False, "ticks": False,
        **percent_axis(share)}}  # fmt: skip
    colour = {"field": "o", "type": "ordinal", "title": base.axis_title(orders.name),
              "scale": {"domain": list(range(len(orders))), "range": theme.categories(len(orders), dark)},
              "legend": {"labelExpr": f"{base.listed(names)}[datum.value]", "symbolType": "square"}}  # fmt: skip
    layers: list[dict[str, Any]] = [
        {
            "mark": {"type": "bar", "stroke": theme.ink(dark).page, "strokeWidth": 0.5},
            "encoding": {"x": x, "y": {**y, "field": "start"}, "y2": {"field": "stop"}, "color": colour, "tooltip": [
                {"field": "word", "type": "nominal", "title": tokens.name}, {"field": "order", "type": "nominal", "title": orders.name},
                {"field": "written", "type": "nominal", "title": "share"}]},
        }
    ]  # fmt: skip
    bad = np.flatnonzero(~finite.all(1))
    if len(bad):
        signs = [" ".join(base.number(float(v)) for v in values[i][~finite[i]]) for i in bad]
        layers.append({"data": base.rows({"t": bad, "stop": stop[bad, -1], "sign": signs}),
                       "mark": {"type": "text", "dy": -7, "color": theme.ink(dark).text},
                       "encoding": {"x": x, "y": {**y, "field": "stop"}, "text": {"field": "sign", "type": "nominal"}}})  # fmt: skip
    mean = ", ".join(f"{name} {base.number(float(m), share)}" for name, m in zip(names, solid.mean(0), strict=True)) if len(tokens) else ""
    said = f"Stacked bars. {base.says(spec)}. {len(tokens)} tokens, {len(orders)} orders. On average: {mean}."
    return base.chart(base.says(spec), (of, base.unsound(values)), layers, field.frame(), said,
                      width=width, height=HEIGHT, dark=dark, data=base.rows(columns))  # fmt: skip


VIEW = View("Shares", "Which order does the prediction lean on?",
            (Need(("token", "order"), frozenset({Kind.PROBABILITY, Kind.ATTENTION, Kind.GATE, Kind.COUNT})),), draw)  # fmt: skip
