"""The live picture of the sentence classifier: which phrase fires which filter, what each best match adds to the
answer, and what the answer would be without it.

Shapes    R = filters shown, U = all filters, K = labels, T = words, w = words that a filter covers
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engine.core.round_numbers import reach
from engine.core.trace import FieldSpec, Kind, Trace
from engine.frame import picture as pic
from engine.frame.part import once
from engine.live import cache, declared
from engine.live.stage import Stage
from engine.models.textcnn import TextCNN
from engine.runs.store import Run
from engine.text.corpora.reviews import CORPUS as REVIEWS

SHOWN, LONGEST = 400, 64  # characters and words at once
ROWS = 12  # filters shown at once
WITHIN, SAMPLE = (
    0.99,
    24,
)  # share of the numbers that the colours must hold; reviews they are set by


def derive(model: TextCNN, trace: Trace, asks: Mapping[str, object]) -> pic.Derived:
    """Of the filters whose best match adds most to the score of one of the two likeliest labels, less what it adds to
    that of the other."""
    response_TU, best_U = trace.field("response").values, trace.field("largest").values[-1]
    head, start_K = model.net.head, model.net.head.bias.detach().numpy()
    add_KU = head.weight.detach().numpy() * best_U
    score_K = add_KU.sum(1) + start_K
    a, b = sorted(np.argsort(-score_K, kind="stable")[:2])
    adds_U = add_KU[b] - add_KU[a]
    unit_R = strongest(adds_U, ROWS)
    said = int(score_K.argmax())
    covers_R = np.repeat(model.config.covers, model.config.filters)[unit_R]
    last_R = response_TU[:, unit_R].argmax(0)
    back = np.arange(max(model.config.covers))
    word_RW = (last_R - covers_R + 1)[:, None] + back
    there_RW = (word_RW >= 0) & (back < covers_R[:, None]) & (best_U[unit_R] > 0)[:, None]
    row = ("row",)
    return {
        "filter": (row, unit_R),
        "covers": (row, covers_R),
        "best": (row, best_U[unit_R]),
        "adds": (row, adds_U[unit_R]),
        "size": (row, np.abs(adds_U[unit_R])),
        "side": (row, np.where(adds_U[unit_R] < 0, a, b)),
        "without": (row, softmax(score_K - add_KU[:, unit_R].T)[:, said]),
        "word": (("row", "step"), np.where(there_RW, word_RW, np.nan)),
        "match": (("row", "token"), response_TU[:, unit_R].T),
        "said": ((), said),
        "p": ((), softmax(score_K)[said]),
        "one": ((), a),
        "other": ((), b),
        "here": (("token",), trace.field("label").values[:, said]),
    }


def softmax(score_K: np.ndarray) -> np.ndarray:
    e_K = np.exp(score_K - score_K.max(-1, keepdims=True))
    found: np.ndarray = e_K / e_K.sum(-1, keepdims=True)
    return found


def strongest(adds_U: np.ndarray, most: int) -> np.ndarray:
    """(R,): half of them on each side as far as there are so many, the strongest first."""
    order = np.argsort(-np.abs(adds_U), kind="stable")
    low, high = ([u for u in order if side * adds_U[u] > 0] for side in (-1, 1))
    few = most // 2
    kept = {*low[: max(few, most - len(high))], *high[: max(most - few, most - len(low))]}
    return np.array([u for u in order if u in kept][:most], int)


PHRASES = pic.Picture(
    "phrases",
    pic.Columns(
        pic.Rows("row", ROWS),
        (
            pic.Words("Best match", "{phrase}", 2.2),
            pic.Strip("Match", "match", "token", "match", wide=2.8),
            pic.Column("{one:label} | {other:label}", "adds", group="adds", wide=2.4),
        ),
    ),
    "Which phrases decide",
    "Which phrases decide: {said:label}, {p:%}",
    "A row is a filter, a colour how well the words that end there match it. Its best match alone counts (max pooling);"
    " the bar is what this match adds to the score of one class, less what it adds to that of the other.",
    (
        "Filter {filter:n} covers {covers:n} words and matches “{phrase}” best, {best}, which adds {size} towards"
        " {side:label}. Without this filter: {said:label}, {without:%}.",
        "{said:label}, {p:%}: no filter finds a phrase.",
        "Type a sentence.",
    ),
    parts={"phrase": pic.Series("step", "{word:token}", " ")},
    table=pic.table(
        "row",
        "filter: {filter:n} | words it covers: {covers:n} | best match: {phrase} | how well: {best} | adds: {size}"
        " | towards: {side:label} | without it: {said:label} {without:%}",
    ),
    saves=pic.Saves(("response",), (), "heatmap"),
)

PREFIX = pic.Picture(
    "prefix",
    pic.Over((pic.Line("here"),), widest=74, now="rule"),
    "Had the text ended here",
    "{said:label}, had the text ended here",
    "The best match of each filter so far (max pooling): a phrase counts from its last word on, wherever it stands.",
    ("After “{token}”: {said:label} {here:%}.", "Type a sentence."),
    table=pic.table("token", "word: {token} | probability: {here:%}"),
    saves=pic.Saves(("label",)),
)


@once
def name_labels(model: TextCNN) -> pic.Once:
    return pic.Once({"label": [*model.names]})


def stage(run: Run) -> Stage:
    """ValueError, with a sentence for the reader, for a run that is damaged."""
    some = REVIEWS.labelled()[:SAMPLE]
    model = cache.model(run, TextCNN)
    best = [model.trace(text, fields=("largest",)).field("largest").values[-1] for _, text in some]
    match = FieldSpec("match", Kind.GATE, (), "", domain=(0, reach(np.array(best), WITHIN)))
    live = pic.Live(
        (),
        (PHRASES, PREFIX),
        name_labels,
        derive,
        also=("response", "largest", "label"),
        shades={"match": match},
        unit=lambda model: "words",
        places={"row": pic.Place("shown")},
        vertical="row",
        top="label",
        most=SHOWN,
    )
    return declared.stage(live, run, "net")


LIVE = stage
