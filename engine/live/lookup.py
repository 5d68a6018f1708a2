"""Lookup: where one chosen word stands among all that can come next, and how a whole distribution
falls off.

Answered only when a reader asks: a comparison with the whole vocabulary per token, a sort for one
token.

Shapes    T = tokens, V = vocabulary, R = ranks
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.core.cache import remembered
from engine.core.trace import Trace
from engine.language.message import _
from engine.live.reply import Falloff, Looked
from engine.live.top import steps
from engine.models.abilities import CountsRuns
from engine.text.tokenizers.base import Tokens

if TYPE_CHECKING:
    from engine.models.base import Model

RANKS = 48  # points of the curve
SHARES = (0.5, 0.9, 0.99)


@dataclass(frozen=True, slots=True)
class Word:
    """What a model makes of a word: its id, or None where it is not one token, and what the reader
    should know."""

    id: int | None
    says: str = ""


@remembered(256)
def find(model: Model[Any], word: str) -> Word:
    vocab = model.tokenizer.vocab
    if word in vocab:
        return Word(vocab.index(word))
    tokenizer = model.tokenizer
    found = tokenizer.encode_plain(word) if tokenizer.talks else model.tokens(word)
    found = found[next((i for i, (__, stop) in enumerate(found.spans) if stop), len(found)) :]
    if not len(found):
        said = "No piece of the vocabulary writes any of it." if found.lost else ""
        return Word(None, said or "There is nothing to look up.")
    if len(found) > 1:
        return Word(
            None,
            _(
                "This is read as {found} tokens: {labels}. Ask for one of them.",
                found=len(found),
                labels=" | ".join(found.labels[:8]),
            ),
        )
    id = int(found.ids[0])
    if found.unknown:
        return Word(
            id,
            _(
                "Not among the {vocab:,} words of the vocabulary: it is read as {vocab_2},"
                " which has",
                vocab=len(vocab),
                vocab_2=vocab[id],
            ),
        )
    if found.lost:
        gone = "".join(word[a:b] for a, b in found.lost)
        return Word(
            id,
            _(
                "No piece writes “{gone}”; the rest is read as “{vocab}”.",
                gone=gone,
                vocab=vocab[id],
            ),
        )
    return Word(id, _("Read as “{vocab}”.", vocab=vocab[id]))


def places(p_TV: np.ndarray, id: int) -> list[list[Any]]:
    """Per row [probability, place, how many others have the same probability]; place 1 is the
    likeliest."""
    p_T = p_TV[:, id]
    above_T = (p_TV > p_T[:, None]).sum(1)
    same_T = (p_TV == p_T[:, None]).sum(1)
    return [
        [float(f"{p:.6g}"), int(a) + 1, int(s) - 1]
        for p, a, s in zip(p_T, above_T, same_T, strict=True)
    ]


def curve(p_V: np.ndarray) -> Falloff:
    """The distribution from its likeliest word down, at RANKS ranks evenly spread over their
    logarithm.

    ranks, p, mass  (R,) rank, probability there, share of all words down to there
    needed          per share of SHARES how many words hold it together
    """
    falling_V = np.sort(p_V)[::-1].astype(np.float64)
    mass_V = np.cumsum(falling_V)
    at_R = np.unique(np.geomspace(1, len(p_V), RANKS).round().astype(int)) - 1
    needed = [
        min(int(np.searchsorted(mass_V, share * mass_V[-1])) + 1, len(p_V)) for share in SHARES
    ]
    p, mass = ([float(f"{x:.6g}") for x in values[at_R]] for values in (falling_V, mass_V))
    return {"ranks": (at_R + 1).tolist(), "needed": needed, "p": p, "mass": mass}


def answer(
    model: Model[Any],
    trace: Trace,
    first: int,
    word: str = "",
    token: int | None = None,
    tokens: Tokens | None = None,
) -> Looked:
    """What a request looks up; nothing where it looks up nothing.

    first   the first token of the text whose entries the browser does not have yet
    word    `found` says where it stands after each token from `first` on
    token   a token of the text: `extra` says how all that can come after it falls off
    tokens  the text as the model cuts it, where the caller has that
    """
    out: Looked = {}
    if not len(trace) or "probability" not in trace:
        return out
    if word:
        p_TV = trace.field("probability").rows(first - trace.offset)
        found = find(model, word)
        rows: list[list[Any]] = [[] for __ in p_TV]
        if found.id is not None and rows:
            rows = places(p_TV, found.id)
            if isinstance(model, CountsRuns):
                of = model.ladder_of(trace.text, (first, first + len(rows)), found.id)
                ladders = steps(of["part"], of["count"], of["total"], of["discount"])
                rows = [[*row, ladder] for row, ladder in zip(rows, ladders, strict=True)]
        label = "" if found.id is None else model.tokenizer.vocab[found.id]
        out["found"] = rows
        out["find"] = {"word": word, "label": label, "says": found.says}
    if token is not None and 0 <= token < trace.total:
        if not trace.offset <= token < trace.offset + len(trace.tokens):
            place = (token, token + 1)
            trace = model.trace(trace.text, fields=("probability",), window=place, tokens=tokens)
        at = token - trace.offset
        p_V = trace.field("probability").rows(at, at + 1)[0]
        out["extra"] = {"token": token, **curve(p_V)}
    return out
