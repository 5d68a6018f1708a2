"""Texts word by word, each word in the colour of the n-gram order that spoke; copied words are
underlined."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.trace import Table
from engine.language.message import _
from engine.views import base, fold, theme
from engine.views.base import Need, View
from engine.views.figure import Figure

COLUMNS = ("text", "word", "order", "probability", "copied")
WIDTH, LINE, LETTER, GAP, MOST = 860, 34, 7.4, 4, 2000


def draw(table: Table, *, dark: bool = False, of: str = "") -> Figure:
    """Rows of one `text` are its words in order.  Lines are broken in the browser, at whatever
    width there is.

    order   the order that spoke: 0 uniform, 1 a word by itself ...; -1: given, not drawn
    copied  whether the word belongs to a run that is marked
    """
    frame = table.frame()[list(COLUMNS)].reset_index(drop=True)
    total, frame = len(frame), frame.head(MOST)
    texts = list(dict.fromkeys(str(t) for t in frame["text"]))
    row = np.array([texts.index(str(t)) for t in frame["text"]], int)
    order, p = frame["order"].to_numpy(float), frame["probability"].to_numpy(float)
    given = ~(order >= 0)
    level = np.clip(np.where(given, 0, order), 0, 7).astype(int)
    copied = np.array([bool(c) for c in frame["copied"]], bool)
    words = [theme.visible(str(w)) for w in frame["word"]]
    words = [
        w if g or np.isfinite(v) else f"{base.number(float(v))} {w}"
        for w, v, g in zip(words, p, given, strict=True)
    ]
    wide = np.array([base.width_of(w, 13) + 12.0 for w in words])
    end, (names, y) = fold.ends(wide + GAP, row), fold.rows(texts, "written by", len(texts) > 1)
    ink, ramp = theme.ink(dark), theme.orders(dark)
    used = sorted(set(level[~given].tolist())) or [1]
    data = {
        "row": row,
        "a": end - wide - GAP,
        "b": end,
        "w": wide,
        "o": level,
        "given": given,
        "copied": copied,
        "word": words,
        "who": [
            "given" if g else str(k) if k else "uniform" for g, k in zip(given, level, strict=True)
        ],
        "p": ["" if g else base.number(float(v), True) for g, v in zip(given, p, strict=True)],
        "ink": [
            ink.text if g else c
            for g, c in zip(given, theme.written_on([ramp[k] for k in level]), strict=True)
        ],
    }
    x, broken = fold.X, fold.lines(wide, GAP)
    colour = {
        "field": "o",
        "type": "ordinal",
        "title": "order used",
        "scale": {"domain": used, "range": [ramp[k] for k in used]},
        "legend": {
            "orient": "bottom",
            "direction": "horizontal",
            "symbolType": "square",
            "symbolSize": 220,
            "labelExpr": "datum.value == 0 ? 'uniform' : datum.label",
        },
    }
    tooltip = [
        {"field": "word", "type": "nominal"},
        {"field": "who", "type": "nominal", "title": "order"},
        {"field": "p", "type": "nominal", "title": "probability"},
    ]
    box = {"x": {**x, "field": "x"}, "x2": {"field": "x2"}, "y": y}
    mark = {"type": "bar", "cornerRadius": 4}
    layers: list[dict[str, Any]] = [
        {
            "transform": [*broken, {"filter": "!datum.given"}],
            "mark": mark,
            "encoding": {**box, "color": colour, "tooltip": tooltip},
        },
        {
            "transform": [*broken, {"filter": "datum.given"}],
            "mark": {**mark, "fill": None, "stroke": ink.rule},
            "encoding": {**box, "tooltip": tooltip},
        },
        {
            "transform": [*broken, {"filter": "datum.copied"}],
            "mark": {
                "type": "rule",
                "strokeWidth": 3,
                "color": theme.categories(2, dark)[1],
                "yOffset": 15,
            },
            "encoding": {"x": {**x, "field": "x"}, "x2": {"field": "x2"}, "y": y},
        },
        {
            "transform": broken,
            "mark": {"type": "text", "fontSize": 13, "baseline": "middle", "tooltip": None},
            "encoding": {
                "x": {**x, "field": "middle"},
                "y": y,
                "text": {"field": "word", "type": "nominal"},
                "color": {"field": "ink", "type": "nominal", "scale": None},
            },
        },
    ]
    title = base.sentence(table.spec.says) or "A text, word by word"
    cut = (
        _("The first {most:,} of {total:,} words are drawn.", most=MOST, total=total)
        if total > MOST
        else ""
    )
    marked = "The underlined words occur in this order in the counted text." if copied.any() else ""
    bad = base.unsound(p[~given])
    said = _(" ").join(f"{n}: {_spoken(words, row == r)}" for r, n in enumerate(names))
    figure = base.chart(
        title,
        (of, marked, cut, bad),
        layers,
        frame,
        _(
            "Words in coloured boxes. {title}. {value}",
            title=_(title),
            value=said or _("No words."),
        ).rstrip(".")
        + ".",
        width=WIDTH,
        height=LINE,
        dark=dark,
        data=base.rows(data),
    )
    figure.chart.height = {"step": LINE}
    return figure


def _spoken(words: list[str], mine: np.ndarray) -> str:
    return " ".join(words[i] for i in np.flatnonzero(mine)[:60])


VIEW = View("Coloured words", "Which order chose each word?", (Need(columns=COLUMNS),), draw)
