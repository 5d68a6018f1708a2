"""Lookup: where one chosen word stands among all that can come next, and how a whole distribution falls off.

Answered only when a reader asks: a comparison with the whole vocabulary per token, a sort for one token.

Shapes    T = tokens, V = vocabulary, R = ranks
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from engine.reading import steps
from engine.trace import Trace

LONGEST = 60  # characters of a word that is looked up
RANKS = 48  # points of the curve
SHARES = (0.5, 0.9, 0.99)


@dataclass(frozen=True, slots=True)
class Word:
    """What a model makes of a word: its id, or None where it is not one token, and what the reader should know."""

    id: int | None
    says: str = ""


@lru_cache(256)
def find(model: Any, word: str) -> Word:
    vocab = model.tokenizer.vocab
    if word in vocab:
        return Word(vocab.index(word))
    marks = len(model.tokens(""))
    found = model.tokens(word)[marks:]
    if not len(found):
        return Word(None, "There is nothing to look up.")
    if len(found) > 1:
        return Word(None, f"This is read as {len(found)} tokens: {' | '.join(found.labels[:8])}. Ask for one of them.")
    id = int(found.ids[0])
    if found.unknown:
        return Word(id, f"Not among the {len(vocab):,} words of the vocabulary: it is read as {vocab[id]}, which has")
    return Word(id, f"Read as “{vocab[id]}”.")


def places(p_TV: np.ndarray, id: int) -> list[list[Any]]:
    """Per row [probability, place, how many others have the same probability]; place 1 is the likeliest."""
    p_T = p_TV[:, id]
    above_T = (p_TV > p_T[:, None]).sum(1)
    same_T = (p_TV == p_T[:, None]).sum(1)
    return [[float(f"{p:.6g}"), int(a) + 1, int(s) - 1] for p, a, s in zip(p_T, above_T, same_T, strict=True)]


def curve(p_V: np.ndarray) -> dict[str, list[Any]]:
    """The distribution from its likeliest word down, at RANKS ranks evenly spread over their logarithm.

    ranks, p, mass  (R,) rank, probability there, share of all words down to there
    needed          per share of SHARES how many words hold it together
    """
    falling_V = np.sort(p_V)[::-1].astype(np.float64)
    mass_V = np.cumsum(falling_V)
    at_R = np.unique(np.geomspace(1, len(p_V), RANKS).round().astype(int)) - 1
    needed = [min(int(np.searchsorted(mass_V, share * mass_V[-1])) + 1, len(p_V)) for share in SHARES]
    figures = ([float(f"{x:.6g}") for x in values[at_R]] for values in (falling_V, mass_V))
    return {"ranks": (at_R + 1).tolist(), "needed": needed, **dict(zip(("p", "mass"), figures, strict=True))}


def answer(model: Any, trace: Trace, first: int, ask: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a reply that answers `ask`; nothing where nothing is asked.

    first       the first token of the text whose numbers the browser does not have yet
    ask["next"] a word: `found` says where it stands after each token from `first` on
    ask["whole"] a token of the text: `extra` says how all that can come after it falls off
    """
    out: dict[str, Any] = {}
    if not len(trace) or "probability" not in trace:
        return out
    p_TV = trace.field("probability").values
    if name := str(ask.get("next") or "")[:LONGEST]:
        word = find(model, name)
        rows: list[list[Any]] = [[] for _ in trace.tokens[first - trace.offset :]]
        if word.id is not None and rows:
            rows = places(p_TV[first - trace.offset :], word.id)
            if hasattr(model, "ladder_of"):
                found = model.ladder_of(trace.text, (first, trace.offset + len(trace.tokens)), word.id)
                ladders = steps(found["part"], found["count"], found["total"], found["discount"])
                rows = [[*row, ladder] for row, ladder in zip(rows, ladders, strict=True)]
        out |= {"found": rows, "find": {"word": name, "label": "" if word.id is None else model.tokenizer.vocab[word.id], "says": word.says}}
    token = ask.get("whole")
    if isinstance(token, int) and 0 <= token < trace.total:
        if not trace.offset <= token < trace.offset + len(trace.tokens):
            trace = model.trace(trace.text, fields=("probability",), window=(token, token + 1))
        out["extra"] = {"token": token, **curve(trace.field("probability").values[token - trace.offset])}
    return out
