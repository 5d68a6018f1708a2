"""The live part of the lesson on word vectors: all typed words compared, neighbours of each, the odd one
out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.core.trace import FieldSpec, Kind, Trace
from engine.frame import picture as pic
from engine.lessons.vectors.typed import MOST, NEIGHBOURS, find_seen, words_of
from engine.live import declared
from engine.live.stage import Stage
from engine.models.wordspace import WordSpace
from engine.runs.store import Run
from engine.vectors import odd

PAIR = ("word", "other")


def derive(model: WordSpace[Any], trace: Trace, asks: Mapping[str, object]) -> pic.Derived:
    """Words from the one that agrees least with the mean of all, too: the odd one out."""
    every, unit_ND = words_of(trace)
    at_N, unit_ND = np.array(every[:MOST], int), unit_ND[:MOST]
    n, cosine_NN = len(at_N), np.clip(unit_ND @ unit_ND.T, -1, 1)
    other_NN = np.where(np.eye(n, dtype=bool), -2, cosine_NN)
    fit_N = odd.scores(unit_ND)
    order_N = np.argsort(fit_N, kind="stable") if n > 2 else np.zeros(0, int)
    row = {trace.tokens[t].lower(): i for i, t in enumerate(at_N)}
    place = {int(i): place for place, i in enumerate(order_N)}
    row_T = np.array([row.get(word.lower(), np.nan) for word in trace.tokens])
    return {
        "first": (("word",), at_N),
        "row": (("token",), row_T),
        "cosine": (PAIR, cosine_NN),
        "best": (("word",), other_NN.argmax(1) if n > 1 else np.full(n, np.nan)),
        "odd.first": (("odd",), at_N[order_N]),
        "odd.row": (("token",), np.array([place.get(i, np.nan) for i in row_T])),
        "fit": (("odd",), fit_N[order_N]),
        "some": ((), n if n > 1 else np.nan),
        "oddest": ((), at_N[order_N[0]] if n > 2 else np.nan),
        "cut": ((), len(every) if len(every) > MOST else np.nan),
        "seen": (("token",), find_seen(trace)),
    }


SIMILARITY = pic.Picture(
    "similarity",
    pic.Matrix(
        "cosine", *PAIR, "cosine", "word", ("row", "best"), shade="cosine", number="two", widest=64
    ),
    "How similar are the typed words?",
    says=(
        "Cosine of each pair in all dimensions: 1 same direction, 0 unrelated. The first 40 of {cut:n}"
        " different words.",
        "Cosine of each pair in all dimensions: 1 same direction, 0 unrelated. Point at a cell; click a"
        " row to select its word.",
    ),
    tell=(
        "“{word}” and “{other}”: cosine {cosine}.",
        "Most like “{word}” among the typed words: “{best:word}”, cosine {cosine[other=best]}.",
        "“{token}” has no vector. Point at one of the {some:n} words that have one.",
        "Type at least two words that have a vector.",
    ),
    side="left",
    saves=pic.Saves(("vector",)),
)
ODD = pic.Picture(
    "oddone",
    pic.Columns(
        pic.Rows("odd", MOST), (pic.Column("Cosine with the mean of all", "fit", largest=True),)
    ),
    "Odd one out",
    "Odd one out: “{oddest:token}”",
    "The word that agrees least with the mean of all typed words comes first.",
    (
        "“{odd}”: cosine {fit} with the mean of all typed words.",
        "“{oddest:token}” agrees least with the mean of all: cosine {fit[odd=0]}.",
        "Type at least three words to find the one that does not belong.",
    ),
    side="right",
)
PICTURES = pic.Live(
    (),
    (SIMILARITY, NEIGHBOURS, ODD),
    derive=derive,
    also=("vector",),
    shades={"cosine": FieldSpec("cosine", Kind.COSINE, (), "")},
    unit=lambda model: "words",
    places={
        "word": pic.Place("row", "row", -1),
        "odd": pic.Place("odd", "odd.row", -1),
        "top": pic.Place("rank", first=-1),
    },
    named={**dict.fromkeys(PAIR, "first"), "odd": "odd.first"},
    top="neighbours",
    most=400,
)


def stage(run: Run) -> Stage:
    return declared.stage(PICTURES, run, "space")


LIVE = stage
