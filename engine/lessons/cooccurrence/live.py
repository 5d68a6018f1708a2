"""The live part of the lesson on co-occurrence: how often the typed words stand near each other, and the same
words as one-hot and as learned vectors.

Shapes    V = different words, T = tokens
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.core.trace import FieldSpec, Kind, Trace
from engine.frame import picture as pic
from engine.lessons.cooccurrence.counts import Typed, apply_step, cosines
from engine.live import declared
from engine.live.stage import Stage
from engine.models.base import Model
from engine.runs.store import Run

MOST, SHOWN = 1200, 40  # characters counted, words shown
WINDOW, WIDEST = 4, 10
STEPS = {"count": "Counts", "log": "Logarithm", "ppmi": "PPMI", "cosine": "Cosines of rows"}
PAIR = ("word", "other")


def derive(model: Model[Any], trace: Trace, asks: Mapping[str, object]) -> pic.Derived:
    typed, step = Typed.of(trace.tokens, trace.spans), str(asks.get("shows"))
    asked = asks.get("size")
    window = min(WIDEST, max(1, asked)) if isinstance(asked, int) else WINDOW
    sides = str(asks.get("ways"))
    sides = sides if sides in ("left", "right") else "both"
    count_VV = typed.count(window, sides, asks.get("order") != "distance")
    near_VV = apply_step(count_VV, step)
    other_VV = np.nan_to_num(near_VV, nan=-1)
    np.fill_diagonal(other_VV, -np.inf)
    own_T = np.full(len(trace.tokens), np.nan)
    own_T[typed.at_M] = np.where(typed.word_M < SHOWN, typed.word_M, np.nan)
    # a mark has the row of the word before it
    word_T = np.searchsorted(typed.at_M, np.arange(len(own_T)), "right")
    row_T = np.array([np.nan, *own_T[typed.at_M]])[word_T]
    v = min(SHOWN, len(typed.words))
    some = slice(v), slice(v)
    word = ("word",)
    return {
        "first": (word, typed.first_V[:v]),
        "row": (("token",), row_T),
        "nth": (word, np.arange(1, v + 1)),
        "near": (PAIR, near_VV[some]),
        "count": (PAIR, count_VV[some]),
        "best": (word, other_VV[some].argmax(1) if v else np.zeros(0)),
        "row.sum": (word, count_VV.sum(1)[:v]),
        "column.sum": (word, count_VV.sum(0)[:v]),
        "sum": ((), count_VV.sum()),
        "step": ((), [*STEPS].index(step) if step in STEPS else 0),
        "words": ((), len(typed.words)),
        "onehot": (("token", "word"), np.arange(v) == own_T[:, None]),
        "dense": (PAIR, cosines(trace.field("vector").values[typed.first_V[:v]])),
    }


NEAR = pic.Picture(
    "near",
    pic.Matrix(
        "near", *PAIR, "{shows}", "word", ("row", "best"), shade="&shows", number="plain", widest=64
    ),
    "Which words occur near which",
    says=(
        "{?step=1}ln of the count: from 1 to 2 is as far as from 10 to 20. Grey: never together; ln 0 is no number.",
        "{?step=2}How much more often than chance: ln of the pair's share divided by the product of"
        " the shares of the two words; 0 where that is negative.",
        "{?step=3}Two words are alike when their rows of counts point the same way: 1 for the same"
        " neighbours, 0 for none in common.",
        "Row: the word. Column: a word near it. Each word in the window adds 1, or 1 divided by"
        " its distance. A window does not cross a line end.",
    ),
    tell=(
        "{?step=3}cos = {near}: the similarity of the rows of “{word}” and “{other}”.",
        "{?step=2}{?count=0}“{word}” with “{other}”: never together, so PPMI = 0.",
        "{?step=2}“{word}” with “{other}”: ln[ ({count:plain} / {sum:plain}) ÷ ({row.sum:plain} / {sum:plain} ×"
        " {column.sum[word=#other]:plain} / {sum:plain}) ], at least 0: {near}.",
        "{?step=1}“{word}” with “{other}”: ln {count:plain} = {near}.",
        "“{word}” with “{other}”: X = {count:plain}. All neighbours of “{word}” together: {row.sum:plain}.",
        "“{word}” stands near {company}. All its neighbours together: {row.sum:plain}.",
        "Type a few words; a new line begins a new text.",
    ),
    controls=(
        pic.Choice("shows", tuple(STEPS.items()), "count", asks=True),
        pic.Amount("size", 1, WIDEST, 1, WINDOW, "Window: {size:n} {size|word|words}", asks=True),
        pic.Choice(
            "ways",
            (("both", "both sides"), ("left", "left"), ("right", "right")),
            "both",
            asks=True,
        ),
        pic.Choice(
            "order", (("flat", "each counts 1"), ("distance", "1 / distance")), "flat", asks=True
        ),
    ),
    parts={
        "company": pic.Series(
            "other", "{?count>0}“{other}” {count:plain}", ", ", 8, "count", " and {others} more"
        )
    },
)
ONEHOT = pic.Picture(
    "onehot",
    pic.Matrix("onehot", "word", "token", frame=("row", "#token"), shade="share", widest=26),
    "One-hot: a position, but no similarity",
    says="A column for each word as typed, a row for each different word. These numbers tell words apart, and nothing"
    " more.",
    tell=(
        "“{word}” is word {nth:n} of {words:n}: a 1 at place {nth:n}, 0 elsewhere. To every"
        " other word its cosine is 0 and its distance √2 = 1.41.",
        "Type a few words.",
    ),
    side="left",
    table=pic.table(
        "word", "word: {word} | place of its 1: {nth:n} | length of the vector: {words:n}"
    ),
)
DENSE = pic.Picture(
    "dense",
    pic.Matrix("dense", *PAIR, "cosine", "word", shade="cosine", number="two", widest=44),
    "Dense: similarity learned from neighbours",
    saves=pic.Saves(("vector",)),
    says="Cosines between the vectors that GloVe learned from the neighbours of each word in a large text.",
    tell=(
        "“{word}” and “{other}”: cosine {dense}. As one-hot vectors they have 0.",
        "“{word}” is most like {alike}.",
        "Type words that GloVe knows.",
    ),
    side="right",
    parts={
        "alike": pic.Series("other", "{?nth!=nth[word=#other]}“{other}” {dense}", ", ", 3, "dense")
    },
)
PICTURES = pic.Live(
    (),
    (NEAR, ONEHOT, DENSE),
    derive=derive,
    also=("vector",),
    shades={
        **{
            step: FieldSpec(step, Kind.COUNT, (), "", domain=(0, high))
            for step, high in {"count": 5, "log": 2, "ppmi": 3}.items()
        },
        "cosine": FieldSpec("cosine", Kind.COSINE, (), ""),
        "share": FieldSpec("share", Kind.PROBABILITY, (), ""),
    },
    unit=lambda model: "words",
    places={"word": pic.Place("row", "row", -1)},
    named=dict.fromkeys(PAIR, "first"),
    top="",
    most=MOST,
)


def stage(run: Run) -> Stage:
    return declared.stage(PICTURES, run, "glove")


LIVE = stage
