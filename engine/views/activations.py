"""Passages of text, each piece in the colour of one number, such as the memory of one unit; marked
pieces are underlined."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.trace import FieldSpec, Kind, Table
from engine.language.message import _
from engine.views import base, fold, marks, theme
from engine.views.base import Need, View
from engine.views.figure import Figure

COLUMNS = ("text", "word", "value", "marked")
WIDTH, LINE, SIZE, MOST = 860, 26, 13, 4000


def draw(
    table: Table,
    *,
    most: float = 0.0,
    measure: str = "value",
    signed: bool = True,
    rows: str = "passage",
    dark: bool = False,
    of: str = "",
) -> Figure:
    """Rows of one `text` are its pieces in order.  Lines are broken in the browser, at whatever
    width there is.

    most     the number at the end of the colour scale; 0 for the largest one drawn
    measure  what the numbers are, for the legend
    rows     what one text is, for the axis
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
    words = [
        w if ok else f"{base.number(float(v))} {w}"
        for w, v, ok in zip(words, value, finite, strict=True)
    ]
    wide = np.array([base.width_of(w, SIZE) + 1.5 + 6.0 * (len(w) > 1) for w in words])
    end, (names, y) = fold.ends(wide, row), fold.name_rows(texts, rows)
    data = {
        "row": row,
        "a": end - wide,
        "b": end,
        "w": wide,
        "v": value,
        "ok": finite,
        "marked": [bool(m) for m in drawn["marked"]],
        "word": words,
        "written": [base.number(float(v)) for v in value],
        "ink": theme.inks(value, over, dark),
    }
    x, broken = fold.X, fold.lines(wide, 0.01)
    colour = {
        "field": "v",
        "type": "quantitative",
        "scale": marks.smooth(over.low, over.high, stops),
        "legend": {
            "title": theme.plain(measure, 60),
            "orient": "bottom",
            "direction": "horizontal",
            "gradientLength": {"expr": "clamp(width - 10, 60, 220)"},
            "offset": 14,
            "values": [over.low, (over.low + over.high) / 2, over.high],
            "format": ".3~g",
        },
    }
    tooltip = marks.tips(word="piece", written="value")
    box = {"x": {**x, "field": "x"}, "x2": {"field": "x2"}, "y": y}
    layers: list[dict[str, Any]] = [
        {
            "transform": [*broken, {"filter": "datum.ok"}],
            "mark": {"type": "rect"},
            "encoding": {**box, "color": colour, "tooltip": tooltip},
        },
        {
            "transform": [*broken, {"filter": "!datum.ok"}],
            "mark": {"type": "rect", "fill": None, "stroke": ink.rule},
            "encoding": {**box, "tooltip": tooltip},
        },
        {
            "transform": [*broken, {"filter": "datum.marked"}],
            "mark": {"type": "rule", "strokeWidth": 3, "color": ink.text, "yOffset": 11},
            "encoding": {"x": {**x, "field": "x"}, "x2": {"field": "x2"}, "y": y},
        },
        {
            "transform": broken,
            "mark": {
                "type": "text",
                "fontSize": SIZE,
                "font": theme.MONO,
                "baseline": "middle",
                "color": {"expr": "datum.ink"},
                "tooltip": None,
            },
            "encoding": {
                "x": {**x, "field": "middle"},
                "y": y,
                "text": {"field": "word", "type": "nominal"},
            },
        },
    ]
    title = base.sentence(table.spec.says) or "Passages, piece by piece"
    cut = (
        _("The first {most:,} of {total:,} pieces are drawn.", most=MOST, total=total)
        if total > MOST
        else ""
    )
    said = _(" ").join(
        f"{n}: {''.join(words[i] for i in np.flatnonzero(row == r)[:120])}"
        for r, n in enumerate(names)
    )
    alt = (
        _(
            "Text in coloured pieces. {title}. {value}", title=_(title), value=said or _("No text.")
        ).rstrip(".")
        + "."
    )
    notes = (of, cut, base.tell_outside(value, over), base.tell_unsound(value))
    figure = base.chart(
        title, notes, layers, frame, alt, width=WIDTH, height=LINE, dark=dark, data=base.rows(data)
    )
    figure.chart.height = {"step": LINE}
    return figure


VIEW = View(
    "Coloured passages", "Which passages make this number high?", (Need(columns=COLUMNS),), draw
)
