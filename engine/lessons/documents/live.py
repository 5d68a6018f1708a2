"""The live part: names of persons, places and organisations in the typed text, with every key.

Shapes    T = tokens, N = words, K = tags
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engine.analysis.task_heads import FROZEN
from engine.core.trace import Trace
from engine.frame import picture as pic
from engine.lessons.documents import entities
from engine.models.bert import Bert

CALLED = {"PER": "a person", "LOC": "a place", "ORG": "an organisation"}
NAMES = (
    "no name",
    "a person begins",
    "a person goes on",
    "a place begins",
    "a place goes on",
    "an organisation begins",
    "an organisation goes on",
)
KINDS = "[{?shown=0}a person][{?shown=1}a place][{?shown=2}an organisation]"
LIKELIEST, KEPT = "likeliest", "kept"
WANTED = "Type a sentence with a name."


def once(model: Bert) -> pic.Once:
    return pic.Once({"tag": entities.TAGS}, {"tag": NAMES})


def derive(model: Bert, trace: Trace, asks: Mapping[str, object]) -> pic.Derived:
    words = entities.cut(trace.tokens, trace.spans)
    below_TD = trace.field("residual").values[FROZEN - 1]
    p_NK = entities.tag(model, below_TD, words, trace.text)
    greedy_N, kept_N = p_NK.argmax(1), entities.repaired(p_NK)
    own_N = greedy_N if asks.get("rule") == LIKELIEST else kept_N
    count, token = len(trace.tokens), ("token",)
    of_T = np.searchsorted([t for t, _a, _b in words], np.arange(count), "right") - 1
    inner_T = np.array([stop > start for start, stop in trace.spans]) & (of_T >= 0)
    of_T = np.where(inner_T, of_T, 0)

    def spread(x_N: np.ndarray) -> np.ndarray:
        return np.where(inner_T, x_N[of_T], np.nan) if len(words) else np.full(count, np.nan)

    kind_N, starts_N = np.full(len(words), np.nan), np.zeros(len(words))
    found = entities.entities(own_N)
    for start, stop, kind in found:
        kind_N[start:stop], starts_N[start] = entities.KINDS.index(kind), 1
    first_T = np.zeros(count, bool)
    first_T[[t for t, _a, _b in words]] = True
    broken_N = entities.broken(own_N)
    rows_TK = p_NK[of_T] if len(words) else np.zeros((count, len(entities.TAGS)))
    return {
        "p": (("token", "tag"), np.where(inner_T[:, None], rows_TK, 0.0)),
        "said": (token, spread(own_N)),
        "said.p": (token, spread(p_NK[np.arange(len(words)), own_N])),
        "greedy": (token, spread(greedy_N)),
        "shown": (token, np.where(first_T & (spread(starts_N) == 1), spread(kind_N), np.nan)),
        "inside": (token, np.nan_to_num(spread(np.isfinite(kind_N)))),
        "broken": (token, np.nan_to_num(spread(broken_N)) * first_T),
        "names": ((), len(found)),
        "faults": ((), int(broken_N.sum())),
    }


RULE = pic.Choice(
    "rule",
    ((KEPT, "Likeliest tags that keep the rule"), (LIKELIEST, "Likeliest tag of each word")),
    KEPT,
    asks=True,
)
ENTITIES = pic.Picture(
    "entities",
    pic.Lanes(
        (
            pic.Lane("Text", "{token:short}", strong=True, mark="inside>0"),
            pic.Lane("Name of", KINDS),
            pic.Lane("Tag", "[{said:tag}]", mark="broken>0"),
            pic.Lane("", "[{said.p:%}]"),
        ),
        (
            "{names:n} {names|name|names}.[ {?faults>0}{faults:n} {faults|tag breaks|tags break} the rule.]"
        ),
        start=1,
    ),
    "Names of persons, places and organisations",
    says="A head on BERT tags each word: B begins a name, I goes on with it, O is none. I may only follow a B or I of"
    " its"
    " own kind; the likeliest tag of each word can break that rule, the likeliest row of tags that keeps it (Viterbi)"
    " cannot.",
    tell=(
        "{?inside>0}“{token}” belongs to a name: {said:tag}, {said.p:%}.",
        "“{token}” belongs to no name: {said:tag}, {said.p:%}.",
        "{names:n} {names|name is|names are} found. Point at a word for its tag.",
        WANTED,
    ),
    controls=(RULE,),
    table=pic.table(
        "token",
        "token: {token} | tag: [{said:tag}] | probability: [{said.p:%}]",
    ),
)
TAGS = pic.Picture(
    "tags",
    pic.Over(
        (
            pic.Line("said", "accent", "chosen tags", 3),
            pic.Dots("p", (("said=#tag", "accent"), ("greedy=#tag", "line-1"))),
        ),
        pic.Rows("tag"),
    ),
    "How likely each tag is at each word",
    says="The larger a circle, the likelier the tag. The line joins the tags that are chosen.",
    tell=(
        "“{token}”: {tag} {p:%}; {said:tag} is chosen, and the likeliest by itself is {greedy:tag}.",
        "“{token}” is a mark, and has no tag.",
        "{names:n} {names|name is|names are} found. Point at a word for its tag.",
        WANTED,
    ),
    table=pic.table("token tag", "token: {token} | tag: {tag} | probability: [{p:%}]"),
)

LIVE = pic.Live(
    (),
    (ENTITIES, TAGS),
    once,
    derive,
    also=("residual",),
    places={"tag": pic.Place("tag")},
    top="",
    most=420,
)
