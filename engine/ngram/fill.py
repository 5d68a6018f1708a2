"""Fill: which token belongs in a gap, given what stands on both sides.

What      P(w | left, right) in proportion to P(w | left) P(r_1 | left w) P(r_2 | left w r_1) ...; a
          model of order n is no
          longer touched by w after n - 1 tokens, so no more are read
Source    Bayes' rule; the task with both sides is Devlin, Chang, Lee & Toutanova, BERT, NAACL 2019,
          sec. 3.1 (masked words)
Shapes    K = candidates, V = token ids, M = orders 0 (uniform) to n
Differs   A model that reads from left to right is asked about every candidate.  The gap is a token
          of the sentence: the end mark does not fill it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.ngram.smoothed import Smoothed


@dataclass(frozen=True, slots=True, eq=False)
class Filled:
    """Candidates for a gap, in the order given.

    both_K   with both sides, sums to 1 (all 0 where no candidate is possible)
    left_K   P(w | left), as the model gives it
    right_K  P(right | left w): the product over the tokens on the right that were read
    """

    ids_K: np.ndarray
    both_K: np.ndarray
    left_K: np.ndarray
    right_K: np.ndarray

    def ranked(self, most: int | None = None) -> list[tuple[int, float]]:
        """(id, probability with both sides), likeliest first."""
        order = np.argsort(-self.both_K, kind="stable")[:most]
        return [(int(self.ids_K[i]), float(self.both_K[i])) for i in order]


def fill(
    model: Smoothed,
    left: Sequence[int],
    right: Sequence[int] = (),
    candidates: Sequence[int] | np.ndarray | None = None,
    prior_K: np.ndarray | None = None,
) -> Filled:
    """The gap between two runs of ids.  An empty `left` is the beginning of a sentence; the
    boundary in `right` is its end.

    candidates  ids; without them, all tokens that can stand in a sentence
    prior_K     a further factor for each candidate
    """
    counts = model.counts
    if candidates is None:
        ids_K = np.delete(
            np.arange(counts.size), [i for i in (counts.boundary, model.never) if i is not None]
        )
    else:
        ids_K = np.asarray(candidates, np.int64)
    before = np.array(
        [counts.boundary if i == model.never else i for i in left[-model.order :]]
        or [counts.boundary],
        np.int64,
    )
    place_KM = np.repeat(counts.places(before)[-1:], len(ids_K), 0)
    log_K, place_KM = _read(model, place_KM, ids_K)
    left_K, right_K = np.exp(log_K), np.zeros(len(ids_K))
    for id in right[: max(0, model.order - 1)]:
        more_K, place_KM = _read(model, place_KM, np.full(len(ids_K), id))
        right_K += more_K
        if id == counts.boundary:
            break  # a new sentence knows nothing of this one
    log_K = log_K + right_K
    if prior_K is not None:
        with np.errstate(divide="ignore"):
            log_K = log_K + np.log(np.asarray(prior_K, float))
    most = log_K.max() if len(log_K) else -np.inf
    both_K = np.exp(log_K - most) if np.isfinite(most) else np.zeros(len(ids_K))
    return Filled(ids_K, both_K / max(both_K.sum(), 1e-300), left_K, np.exp(right_K))


def _read(
    model: Smoothed, place_KM: np.ndarray, ids_K: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(log probability of the next token behind each of K contexts, places of the contexts that it
    ends)."""
    next_KM = np.full_like(place_KM, -1)
    next_KM[:, 0], next_KM[:, 1] = 0, ids_K
    for m in range(2, model.order + 1):
        next_KM[:, m] = model.counts.find(m, place_KM[:, m - 1], ids_K)
    with np.errstate(divide="ignore"):
        return np.log(model.parts(next_KM, model.weights(place_KM)).sum(1)), next_KM
