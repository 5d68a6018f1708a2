"""The live part of the lesson on pooling: what the one vector of the typed text is made of, in classifiers that
differ in nothing else, beside what is known to count.

Shapes    T = tokens, C = labels
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engine.core.trace import Trace
from engine.frame import picture as pic
from engine.lessons.pooling.shown import CALLED
from engine.live import declared
from engine.live.stage import Stage
from engine.models.pooling import Pooling
from engine.runs.store import Run
from engine.text.corpora.marked import KIND_OF, MARK


def derive(model: Pooling, trace: Trace, asks: Mapping[str, object]) -> pic.Derived:
    """The label that is right is that of the marked word, where it is known, else the one that this model says in
    the end: another one for each.
    A gate is the mean over the units."""
    label_TC = trace.field("label").values
    at = trace.tokens.index(MARK) + 1 if MARK in trace.tokens else len(trace.tokens)
    kind = KIND_OF.get(trace.tokens[at].lower(), "") if at < len(trace.tokens) else ""
    known = kind in model.names
    right = [*model.names].index(kind) if known else int(label_TC[-1].argmax())
    token = ("token",)
    return {
        "says": (token, label_TC.argmax(1)),
        "sure": (token, label_TC.max(1)),
        "right.p": (token, label_TC[:, right]),
        "right": ((), right),
        "truth": (token, np.where(np.arange(len(trace.tokens)) >= at, at, np.nan)),
        "known": ((), known),
        "gate": (("key",), trace.field("gate.output").values[0].mean(1)),
    }


POOLED = pic.Picture(
    "pooled",
    pic.Matrix(
        "pool.weight",
        "reader",
        "key",
        "share of the vector",
        "word",
        ("#reader", "truth"),
        number="%",
        foot=("{gate:%}",),
        widest=90,
    ),
    "What the one vector is made of",
    says="Four classifiers, alike but for how they make one vector of all states, after the word that is looked at."
    " In a cell how much of the vector comes from the state at that word; below, the mean of the output gate there."
    " The marked word is framed.",
    tell=(
        "{?known}“{key}”: {here}. “{truth:token}” is marked, so “{right:label}” is right. {each}.",
        "“{key}”: {here}. {short}.",
        "{?known}“{truth:token}” is marked, so “{right:label}” is right. {each}.",
        "{short}.",
        "Type some words, one of them behind the sign !.",
    ),
    parts={
        "each": pic.Series(
            "reader",
            "{reader} says “{says:label}” ({sure:%}), {pool.weight[key=truth]:%} of it from there",
            "; ",
        ),
        "here": pic.Series("reader", "{reader} {pool.weight:%}", ", "),
        "short": pic.Series("reader", "{reader} says “{says:label}” ({sure:%})", "; "),
    },
    table=pic.table("key reader", "word: {key} | pooled by: {reader} | share: {pool.weight:%}"),
    saves=pic.Saves(("pool.weight",), ("query",), each=True),
)
PREFIX = pic.Picture(
    "prefix",
    pic.Over((pic.Line("right.p", each="reader"),), widest=74, now="rule"),
    "Had the text ended here",
    says="What each of them would answer after each word: the probability of the right label, and where no word is"
    " marked, of what it says itself in the end.",
    tell=(
        "{?known}After “{token}” the probability of “{right:label}”: {each}.",
        "After “{token}” the probability of what each says in the end: {own}.",
        "Type some words, one of them behind the sign !.",
    ),
    parts={
        "each": pic.Series("reader", "{reader} {right.p:%}", ", "),
        "own": pic.Series("reader", "{reader} “{right:label}” {right.p:%}", ", "),
    },
    table=pic.table(
        "token reader", "word: {token} | pooled by: {reader} | right label: {right.p:%}"
    ),
    saves=pic.Saves(("label",), each=True),
)
PICTURES = pic.Live(
    ("pool.weight",),
    (POOLED, PREFIX),
    lambda model: pic.Once({"label": model.names}),
    derive,
    also=("label", "gate.output"),
    called=lambda way: CALLED[way],
    places={"reader": pic.Place("by")},
    unit=lambda model: "words",
    top="",
    most=600,
)


def stage(found: Mapping[str, Run], **_chosen: object) -> Stage:
    return declared.stage(PICTURES, found, "")


LIVE = stage
