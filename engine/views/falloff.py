"""How a distribution falls off from its largest number to its smallest, and how much of it the first ones hold together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from engine.figure import Figure
from engine.trace import Field, Kind
from engine.views import base, theme
from engine.views.base import Need, View

WIDTH, HEIGHT, POINTS = 520, 280, 160
FLOOR = 1e-12  # a logarithmic axis has no place for 0
SHARES = (0.5, 0.9, 0.99)


def draw(field: Field, *, dark: bool = False, of: str = "") -> Figure:
    """Both against the rank on a logarithmic axis, at 160 ranks evenly spread; the table holds every word."""
    (axis,) = field.axes
    values = field.values.astype(float)
    order = np.argsort(-np.where(np.isfinite(values), values, -np.inf), kind="stable")
    falling = values[order]
    finite = np.isfinite(falling)
    mass = np.cumsum(np.where(finite, falling, 0.0))
    frame = pd.DataFrame({"rank": np.arange(1, len(axis) + 1), axis.name: np.array(axis.labels, object)[order],
                          "probability": falling, "together": mass})  # fmt: skip
    at = np.unique(np.geomspace(1, max(1, len(axis)), POINTS).round().astype(int))[: len(axis)] - 1
    at = at[finite[at]]
    names = ["probability", "share of all words so far"]
    shown = np.r_[np.maximum(falling[at], FLOOR), mass[at]]
    data = base.rows({"rank": np.tile(at + 1, 2), "v": shown, "k": np.repeat([0, 1], len(at)),
                      "line": [name for name in names for _ in at], "written": [base.number(float(v), True) for v in shown]})  # fmt: skip
    x = {"field": "rank", "type": "quantitative", "scale": {"type": "log", "domain": [1, max(2, len(axis))], "nice": False},
         "axis": {"title": "rank, from the likeliest word down", "tickCount": 5, "format": "~s", "grid": False}}  # fmt: skip
    floor = float(min(1e-3, max(FLOOR, falling[at].min(initial=1.0))))
    y = {"field": "v", "type": "quantitative", "scale": {"type": "log", "domain": [floor, 1], "clamp": True},
         "axis": {"title": "probability, and share so far", "format": "~e", "tickCount": 6, "domain": False, "ticks": False}}  # fmt: skip
    colour = {"field": "k", "type": "ordinal", "title": None, "scale": {"domain": [0, 1], "range": theme.categories(2, dark)},
              "legend": {"orient": "top", "labelExpr": f"{base.listed(names)}[datum.value]", "symbolType": "stroke", "symbolStrokeWidth": 3}}  # fmt: skip
    layers: list[dict[str, Any]] = [{
        "mark": {"type": "line", "strokeWidth": 2},
        "encoding": {"x": x, "y": y, "color": colour, "tooltip": [
            {"field": "rank", "type": "quantitative"}, {"field": "line", "type": "nominal"}, {"field": "written", "type": "nominal", "title": "value"}]},
    }]  # fmt: skip
    if not finite.all():
        signs = " ".join(dict.fromkeys(base.number(float(v)) for v in falling[~finite]))
        layers.append({"data": base.rows({"sign": [f"{part} " for part in signs.split()], "n": list(range(len(signs.split())))}),
                       "mark": {"type": "text", "align": "right", "color": theme.ink(dark).text, "fontWeight": 600},
                       "encoding": {"x": {"value": WIDTH - 4}, "y": {"field": "n", "type": "ordinal", "axis": None},
                                    "text": {"field": "sign", "type": "nominal"}}})  # fmt: skip
        layers = [{**layer} for layer in layers]
    needed = [int(np.searchsorted(mass, share * mass[-1])) + 1 for share in SHARES] if len(axis) and mass[-1] > 0 else []
    parts = [f"{100 * share:g} % of it in {min(n, len(axis)):,}" for share, n in zip(SHARES, needed, strict=False)]
    said = f"Of {len(axis):,} words: {', '.join(parts)}." if parts else f"{len(axis):,} words."
    title = f"How the probability falls off: {base.says(field.spec)}"
    return base.chart(title, (of, said, base.unsound(values)), layers, frame, f"Two lines over the rank. {base.says(field.spec)}. {said}",
                      width=WIDTH, height=HEIGHT, dark=dark, data=data)  # fmt: skip


VIEW = View("Fall-off", "How many words share the mass?", (Need(("next",), frozenset({Kind.PROBABILITY})),), draw, canvas="falloff")
