"""Words ranked twice, side by side: by how often they occur, and by how many different words stand
to their left."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.trace import Table
from engine.language.message import _
from engine.views import base, marks, theme
from engine.views.base import Need, View
from engine.views.figure import Figure

COLUMNS = ("word", "frequency", "neighbours")
WIDTH, LINE = 300, 24
HEADS = (("frequency", "how often it occurs"), ("neighbours", "different words before it"))


def draw(
    table: Table, *, top: int = 12, mark: str = "", dark: bool = False, of: str = ""
) -> Figure:
    """The first `top` by each of the two numbers; `mark` is a word to follow with the eye."""
    frame = table.frame()
    figures = [_half(frame, column, title, top, mark, dark) for column, title in HEADS]
    figure = base.together(
        base.sentence(table.spec.says) or "Words ranked twice",
        of,
        figures,
        [c for c, __ in HEADS],
        columns=2,
        dark=dark,
    )
    return Figure(figure.title, figure.chart, frame, figure.alt_text)


def _half(frame: Any, column: str, title: str, top: int, mark: str, dark: bool) -> Figure:
    values, ink = frame[column].to_numpy(float), theme.ink(dark)
    at = np.argsort(-np.where(np.isfinite(values), values, -np.inf), kind="stable")[:top]
    names = [theme.visible(str(frame["word"].iloc[i])) for i in at]
    solid = np.where(np.isfinite(values), np.maximum(values, 0), 0)[at]
    marked = [int(bool(mark) and str(frame["word"].iloc[i]) == mark) for i in at]
    rank = [1 + int((values > values[i]).sum()) for i in at]
    series = ("all words", theme.visible(mark) if mark else "selected word")
    rows = base.rows(
        {
            "row": range(len(at)),
            "zero": [0.0] * len(at),
            "v": solid,
            "m": marked,
            "word": names,
            "written": [base.number(float(values[i])) for i in at],
        }
    )
    y = marks.named("row", "rank and word", [f"{r}  {n}" for r, n in zip(rank, names, strict=True)])
    x = marks.amounts(
        title,
        0,
        (float(solid.max(initial=0.0)) or 1.0) * 1.15,
        tickCount=4,
        labelExpr=marks.AXIS_NUMBER,
        tickMinStep=1,
    )
    colour = marks.series("m", series, [ink.accent, theme.categories(2, dark)[1]])
    layers: list[dict[str, Any]] = [
        marks.bar(
            y, x, "zero", "v", colour, marks.tips(word="word", written=column), cornerRadiusEnd=2
        ),
        marks.beside(y, x, "v", ink),
    ]
    said = _("Top {at:,} of {values:,} by {column}", at=len(at), values=len(values), column=column)
    best = (
        f": {', '.join(f'{n} {base.number(float(values[i]))}' for n, i in list(zip(names, at, strict=True))[:3])}"
        if len(at)
        else ""
    )
    return base.chart(
        said,
        (base.unsound(values),),
        layers,
        frame,
        _("Bars. {said}{best}.", said=said, best=best),
        width=WIDTH,
        height=max(1, LINE * len(at)),
        dark=dark,
        data=rows,
    )


VIEW = View(
    "Two rankings",
    "Which words follow many others, and which follow only one?",
    (Need(columns=COLUMNS),),
    draw,
)
