"""The live part of the page: what comes next, where its probability comes from, the sentence as a product, and
which order of the counts answered.

Shapes    T = tokens
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from engine.core.trace import FieldSpec, Kind, Trace
from engine.frame import picture as pic
from engine.language.message import _
from engine.lessons.ngrams import figures
from engine.live import cache, declared
from engine.live.drawing import ribbon
from engine.live.stage import SURPRISAL, Panel, Stage
from engine.models.ngram import Ngram
from engine.runs.store import Run

ORDERS = pic.Picture(
    "orders",
    pic.Over((pic.Cells("mass", "share"),), pic.Rows("order"), least=30),
    "Which order answered, token by token",
    says="Each column is the whole prediction after that word, shared out among the orders. A long context with counts"
    " often decides alone; a rare one hands its mass down to shorter contexts.",
    tell=(
        "After “{token}”, {order:called} answers {mass:%}. All: {each}.",
        "After “{token}”: {each}.",
        "Type a word: each order answers a share of what comes next.",
    ),
    side="right",
    parts={"each": pic.Series("order", "{order:called} {mass:%}", ", ")},
    table=pic.table("token order", "after: {token} | order: {order:called} | share: {mass:%}"),
    saves=pic.Saves(("mass",)),
)
CHAIN = pic.Picture(
    "chain",
    pic.Lanes(
        (
            pic.Lane("word", "{token}", strong=True),
            pic.Lane("its factor", "[{factor:%}][{?never}0]"),
            pic.Lane("product so far", "{so.far:power}"),
        ),
        (
            "{?zeros}P = 0: {zeros:n} of {n:n} factors {zeros|is|are} 0. The product of the others is"
            " {whole:power}.",
            "P(what is shown) = {whole:power} = 2^−{whole}: {whole} bits for {n:n} {n|token|tokens}, {each} bits"
            " each, perplexity {perplexity}.",
            "Type a word to see its factor.",
        ),
        start=1,
    ),
    "The sentence as a product: one factor for each word",
    says="The probability of a sentence is the product of P(word | all words before it): the chain rule. An n-gram"
    " model keeps only the last few words of each condition: the Markov assumption.",
    tell=(
        "P(“{token}” | [{?longest>4}{token@-4} ][{?longest>3}{token@-3} ][{?longest>2}{token@-2} ]{token@-1}) ="
        " {factor:%}: a model of order {longest:n} looks at {back:n} {back|word|words}, and what stands before them"
        " does not count. The product up to here is {so.far:power}.",
        "P(“{token}”) = 0: the model calls it impossible here.",
    ),
    table=pic.table("token", "word: {token} | factor: {factor} | product so far: {so.far:power}"),
)


def once(model: Ngram) -> pic.Once:
    orders = dict(model.labels(model.tokens("")))["order"]
    return pic.Once({"order": [_("order {o}", o=o) if o.isdigit() else o for o in orders]})


def derive(model: Ngram, trace: Trace, asks: Mapping[str, object]) -> pic.Derived:
    """The factors of the shown text, and their product in bits: it is too small for a number.  A factor of
    0 is kept out of it and counted."""
    with np.errstate(divide="ignore"):
        bits_T = np.append(np.nan, -np.log2(model.probabilities(trace.ids)))[: len(trace.ids)]
    own_T = np.where(np.isfinite(bits_T), bits_T, 0.0)
    n, zeros = len(bits_T) - 1, int(np.isinf(bits_T[1:]).sum())
    whole = own_T.sum() if n else np.nan
    return {
        "factor": (("token",), np.where(np.isfinite(bits_T), np.exp2(-own_T), np.nan)),
        "never": (("token",), np.isinf(bits_T)),
        "so.far": (("token",), own_T.cumsum()),
        "whole": ((), whole),
        "n": ((), n),
        "zeros": ((), zeros),
        "each": ((), whole / n if n else np.nan),
        "perplexity": ((), np.exp2(whole / n) if n else np.nan),
        "longest": ((), model.config.order),
        "back": ((), model.config.order - 1),
    }


NEXT = pic.Picture(
    "next",
    pic.Drawn("bars", lambda _model: {"words": True, "most": 16, "search": True}),
    "Next word",
    side="left",
    saves=pic.Saves(("probability",), ("token",), "bars", {"top": 16}),
)
SHOWN = pic.Live(
    ("mass", "matched", "backoff"),
    (NEXT, CHAIN, ORDERS),
    once,
    derive,
    places={"order": pic.Place("other", first=-1)},
    shades={"share": FieldSpec("share", Kind.PROBABILITY, (), "")},
    top="ladder",
    listed=16,
    most=600,
    numbers=False,
)


def stage(run: Run) -> Stage:
    made = declared.stage(SHOWN, run, "ngram")
    model, ((reader, _run),) = cache.model(run, Ngram), made.readers
    reader = replace(reader, more={**(reader.more or {}), **figures.describe_smoothing(model)})
    next_word, chain, orders = made.panels
    ladder = Panel(
        "ladder",
        "ladder",
        "Where the probability comes from",
        figures.handed_down(model),
        {"column": "right", "reader": "ngram"},
        figures.ladder("ngram", model),
    )
    surprise = Panel(
        "surprise",
        "ribbon",
        "How surprising each word was",
        "Strong colour: the model did not expect this word here.",
        {"column": "left", "scale": SURPRISAL},
        ribbon({"ngram": run.title}),
    )
    panels = (next_word, ladder, chain, surprise, orders)
    return replace(made, readers=((reader, run),), panels=panels)


LIVE = stage
