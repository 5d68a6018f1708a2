"""The nearest words of one or more words, as bars of cosine similarity."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.trace import Table
from engine.language.message import _
from engine.views import base, marks, theme
from engine.views.base import Need, View
from engine.views.figure import Figure

COLUMNS = ("word", "neighbour", "cosine", "rank")
WIDTH, LINE, MOST = 420, 24, 60


def draw(table: Table, *, titles: str = "", dark: bool = False, of: str = "") -> Figure:
    """One bar per row, grouped by word in order of first appearance, by rank within; the first 60
    rows are drawn.

    titles  what the groups are, where they are no words: the groups and the neighbours are then
            written with plain spaces
    """
    write = theme.plain if titles else theme.visible
    frame = table.frame()[list(COLUMNS)]
    asked = list(dict.fromkeys(str(w) for w in frame["word"]))
    group = np.array([asked.index(str(w)) for w in frame["word"]], int)
    frame = frame.iloc[np.lexsort((frame["rank"].to_numpy(float), group))].reset_index(drop=True)
    total, frame = len(frame), frame.head(MOST)
    shown = list(dict.fromkeys(str(w) for w in frame["word"]))
    names, words = [write(str(n), 24) for n in frame["neighbour"]], [write(w, 40) for w in shown]
    cosine, ink = frame["cosine"].to_numpy(float), theme.ink(dark)
    finite = np.isfinite(cosine)
    low = float(min(0.0, cosine[finite].min(initial=0.0)))
    several = len(shown) > 1
    ranks = [int(r) for r in frame["rank"]]
    ticks = [f"{r}  {name}" for r, name in zip(ranks, names, strict=True)]
    data = base.rows(
        {
            "row": np.arange(len(frame)),
            "cosine": cosine,
            "zero": np.zeros(len(frame)),
            "end": np.where(finite, np.maximum(cosine, 0), 0),
            "g": [shown.index(str(w)) for w in frame["word"]],
            "word": [words[shown.index(str(w))] for w in frame["word"]],
            "neighbour": names,
            "rank": ranks,
            "written": [base.number(float(c)) for c in cosine],
        }
    )
    y = marks.named(
        "row", None if titles else "rank and neighbour", ticks, maxExtent=marks.room(ticks)
    )
    x = marks.amounts(
        "cosine similarity (1 = same direction)",
        low,
        1.1,
        values=[v / 4 for v in range(-4, 5) if v / 4 >= low],
        format=".2~f",
    )
    colours = theme.categories(len(shown), dark) if several else [ink.accent]
    layers: list[dict[str, Any]] = [
        marks.bar(
            y,
            x,
            "zero",
            "cosine",
            {
                "field": "g",
                "type": "ordinal",
                "title": titles or "nearest to",
                "scale": {"domain": list(range(len(shown))), "range": colours},
                "legend": {
                    "labelExpr": marks.label(words),
                    "symbolType": "square",
                    "labelLimit": 260,
                    **({"orient": "top", "columns": 2} if titles else {}),
                }
                if len(words) > 1
                else None,
            },
            [{"field": c, "type": "nominal"} for c in ("word", "neighbour", "rank", "written")],
            cornerRadiusEnd=2,
        ),
        marks.write_beside(y, x, "end", ink),
    ]
    title = base.sentence(table.spec.says) or "The nearest words"
    cut = (
        _("The first {most} of {total:,} rows are drawn.", most=MOST, total=total)
        if total > MOST
        else ""
    )
    first = (
        _("First of “{words}”", words=words[0])
        if titles and words
        else _("Nearest to “{words}”", words=words[0] if words else "")
    )
    best = f" {first}: “{names[0]}”, {base.number(float(cosine[0]))}." if len(frame) else ""
    return base.chart(
        title,
        (of, cut, base.tell_unsound(cosine)),
        layers,
        frame,
        _("Bars. {title}. {frame} neighbours.{best}", title=_(title), frame=len(frame), best=best),
        width=WIDTH,
        height=max(LINE, LINE * len(frame)),
        dark=dark,
        data=data,
    )


VIEW = View(
    "Neighbours", "Which words does the model consider similar?", (Need(columns=COLUMNS),), draw
)
