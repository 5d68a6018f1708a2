"""Passages of text, each piece in the colour of one number, such as the memory of one unit; marked pieces are underlined."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.figure import Figure
from engine.trace import FieldSpec, Kind, Table
from engine.views import base, theme
from engine.views.base import Need, View

COLUMNS = ("text", "word", "value", "marked")
WIDTH, LINE, SIZE, MOST = 860, 26, 13, 4000


def draw(
    table: Table, *, most: float = 0.0, measure: str = "value", signed: bool = True, dark: bool = False, of: str = ""
) -> Figure:
    """Rows of one `text` are its pieces in order.  Lines are broken in the browser, at whatever width there is.

    most     the number at the end of the colour scale; 0 for the largest one drawn
    measure  what the numbers are, for the legend
    signed   whether the scale goes down to -most; else it begins at 0
    """
    frame = table.frame()[list(COLUMNS)].reset_index(drop=True)
    total, drawn = len(frame), frame.head(MOST)
    texts = list(dict.fromkeys(str(t) for t in drawn["text"]))
    place = {name: i for i, name in enumerate(texts)}
    row = np.array([place[str(t)] for t in drawn["text"]], int)
    value = drawn["value"].to_numpy(float)
    finite = np.isfinite(value)
    top = most or float(np.abs(value[finite]).max(initial=0.0)) or 1.0
    kind, low = (Kind.STATE, -top) if signed else (Kind.PROBABILITY, 0.0)
    over = theme.scale(FieldSpec("value", kind, ("token",), "", domain=(low, top)))
    stops, ink = over.stops(dark), theme.ink(dark)
    words = [theme.visible(str(w)) for w in drawn["word"]]
    words = [w if ok else f"{base.number(float(v))} {w}" for w, v, ok in zip(words, value, finite, strict=True)]
    wide = np.array([base.width_of(w, SIZE) + 1.5 + 6.0 * (len(w) > 1) for w in words])
    end = np.zeros(len(drawn))
    for r in range(len(texts)):
        end[row == r] = wide[row == r].cumsum()
    names = [theme.plain(t, 24) or "∅" for t in texts]
    room = max(map(base.width_of, names), default=0) + 10
    data = {
        "row": row, "a": end - wide, "b": end, "w": wide, "v": value, "ok": finite, "marked": [bool(m) for m in drawn["marked"]], "word": words,
        "written": [base.number(float(v)) for v in value], "ink": theme.inks(value, over, dark),
    }  # fmt: skip
    space = f"max(80, width - {float(wide.max(initial=0.0)):.0f})"  # a piece that begins in a line ends in it
    fold = [
        {"calculate": f"datum.row * 1000 + floor((datum.b - 0.01) / {space})", "as": "line"},
        {"joinaggregate": [{"op": "min", "field": "a", "as": "first"}], "groupby": ["line"]},
        {"calculate": "datum.a - datum.first", "as": "x"},
        {"calculate": "datum.x + datum.w", "as": "x2"},
        {"calculate": "datum.x + datum.w / 2", "as": "middle"},
    ]
    x = {"type": "quantitative", "scale": None, "axis": None}
    label = f"datum.value % 1000 == 0 ? {base.listed(names)}[datum.value / 1000] : ''"
    y = {"field": "line", "type": "ordinal", "scale": {"paddingInner": 0.16, "paddingOuter": 0.1}, "axis": {
        "title": "passage", "labelExpr": label, "ticks": False, "domain": False, "grid": False, "labelOverlap": False, "labelFontSize": 12,
        "titleLimit": 200, "minExtent": room, "maxExtent": room}}  # fmt: skip
    colour = {"field": "v", "type": "quantitative",
              "scale": {"domain": np.linspace(over.low, over.high, len(stops)).tolist(), "range": list(stops), "clamp": True, "interpolate": "rgb"},
              "legend": {"title": theme.plain(measure, 60), "orient": "bottom", "direction": "horizontal", "gradientLength": 220, "offset": 14,
                         "values": [over.low, (over.low + over.high) / 2, over.high], "format": ".3~g"}}  # fmt: skip
    tooltip = [{"field": "word", "type": "nominal", "title": "piece"}, {"field": "written", "type": "nominal", "title": "value"}]
    box = {"x": {**x, "field": "x"}, "x2": {"field": "x2"}, "y": y}
    layers: list[dict[str, Any]] = [
        {"transform": [*fold, {"filter": "datum.ok"}], "mark": {"type": "rect"}, "encoding": {**box, "color": colour, "tooltip": tooltip}},
        {"transform": [*fold, {"filter": "!datum.ok"}], "mark": {"type": "rect", "fill": None, "stroke": ink.rule}, "encoding": {**box, "tooltip": tooltip}},
        {"transform": [*fold, {"filter": "datum.marked"}], "mark": {"type": "rule", "strokeWidth": 3, "color": ink.text, "yOffset": 11},
         "encoding": {"x": {**x, "field": "x"}, "x2": {"field": "x2"}, "y": y}},
        {"transform": fold, "mark": {"type": "text", "fontSize": SIZE, "font": theme.MONO, "baseline": "middle", "color": {"expr": "datum.ink"}, "tooltip": None},
         "encoding": {"x": {**x, "field": "middle"}, "y": y, "text": {"field": "word", "type": "nominal"}}},
    ]  # fmt: skip
    title = base.sentence(table.spec.says) or "Passages, piece by piece"
    cut = f"The first {MOST:,} of {total:,} pieces are drawn." if total > MOST else ""
    said = " ".join(f"{n}: {''.join(words[i] for i in np.flatnonzero(row == r)[:120])}" for r, n in enumerate(names))
    alt = f"Text in coloured pieces. {title}. {said or 'No text.'}".rstrip(".") + "."
    notes = (of, cut, base.outside(value, over), base.unsound(value))
    figure = base.chart(title, notes, layers, frame, alt, width=WIDTH, height=LINE, dark=dark, data=base.rows(data))
    figure.chart.height = {"step": LINE}
    return figure


VIEW = View("Coloured passages", "What stands in the text where this number is high?", (Need(columns=COLUMNS),), draw)
