"""Twin: a model's answers on a text and on the same text with a change, side by side.

What      tokens are matched by the fewest insertions, deletions and replacements (Levenshtein); what is compared of a
          pair is the answer there: of a language model what comes next, of a tagger the tag; of a classifier the label
          of the whole text
Source    Ribeiro et al., Beyond Accuracy: Behavioral Testing of NLP Models with CheckList, 2020 (invariance)
Shapes    T = tokens of the text, U = tokens of its twin, P = pairs
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.analysis.measure import surprisal
from engine.lessons.trial.cases import answer_field
from engine.models.abilities import Labels
from engine.models.base import Corpus, Model


def matched(ids_T: Sequence[int], ids_U: Sequence[int]) -> np.ndarray:
    """(T,) the token of the twin that each token is matched with, -1 for none.  Where several stand in place of
    others, the last ones are matched."""
    from rapidfuzz.distance import Levenshtein

    found_T = np.full(len(ids_T), -1)
    i = j = 0  # where what is not the same begins
    blocks = Levenshtein.editops(list(ids_T), list(ids_U)).as_matching_blocks()
    for block in blocks:
        count = min(block.a - i, block.b - j)
        if count > 0:
            found_T[block.a - count : block.a] = block.b - count + np.arange(count)
        found_T[block.a : block.a + block.size] = block.b + np.arange(block.size)
        i, j = block.a + block.size, block.b + block.size
    return found_T


@dataclass(frozen=True, eq=False)
class Answers:
    """ids of the tokens, what is said at each and how surely, and the bits of the whole text, where it foretells."""

    ids: np.ndarray
    said: np.ndarray
    sure: np.ndarray
    p_TV: np.ndarray
    bits: float


def answers(model: Model[Any], text: str) -> Answers:
    """ValueError where a text has none."""
    name = answer_field(model)
    trace = model.trace(text, fields=(name,))
    if name not in trace:
        raise ValueError("This model has no answer for such a text.")
    p_TV = trace.field(name).values
    bits = float("nan") if isinstance(model, Labels) else float(np.nansum(surprisal(trace)))
    return Answers(np.asarray(trace.ids), p_TV.argmax(-1), p_TV.max(-1), p_TV, bits)


@dataclass(frozen=True, slots=True)
class Pair:
    """How many answers were compared, how many changed; of a language model the bits of both texts, of others the
    mean probability of the first answer in both; how many more words of the second the model does not know."""

    compared: int
    changed: int
    before: float
    after: float
    strange: int = 0


def compare(model: Model[Any], text: str, other: str) -> Pair:
    one, two = answers(model, text), answers(model, other)
    if isinstance(model, Labels) and model.corpus == Corpus.LABELLED:
        said = one.said[-1]
        return Pair(
            1, int(two.said[-1] != said), float(one.p_TV[-1, said]), float(two.p_TV[-1, said])
        )
    at_T = matched(one.ids.tolist(), two.ids.tolist())
    if isinstance(model, Labels):
        pairs = np.flatnonzero(at_T >= 0)
        said_P, other_P = one.said[pairs], two.p_TV[at_T[pairs]]
        after_P = other_P[np.arange(len(pairs)), said_P]
        changed = int((other_P.argmax(-1) != said_P).sum())
        before, after = (
            float(x.mean()) if len(x) else float("nan") for x in (one.sure[pairs], after_P)
        )
        return Pair(len(pairs), changed, before, after)
    same = (at_T >= 0) & (one.ids == two.ids[at_T])
    pairs = np.flatnonzero(same)
    changed = int((one.said[pairs] != two.said[at_T[pairs]]).sum())
    strange = len(model.tokens(other).unknown) - len(model.tokens(text).unknown)
    return Pair(len(pairs), changed, one.bits, two.bits, strange)
