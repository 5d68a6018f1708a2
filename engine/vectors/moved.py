"""Moved: how far words lie apart in two spaces, beside how far mere chance puts them apart.

What      moved(w) = 1 - cos(a_w R, b_w), R turns space A onto space B (align.py); chance: the same
          number between two trainings on one text with other seeds, for words about as frequent;
          kept(w) = share of the k nearest words that stay the same
Source    Hamilton, Leskovec & Jurafsky, Diachronic Word Embeddings Reveal Statistical Laws of
          Semantic Change, 2016, sec. 3;
          Antoniak & Mimno, Evaluating the Stability of Embedding-based Word Similarities, 2018 (why
          chance must be measured);
          Gonen, Jawahar, Seddah & Goldberg, Simple, Interpretable and Stable Method for Detecting
          Words with Usage Change, 2020
Shapes    N = words that both know, commonest first, D = dimensions
Differs   R is found on the commonest words only (`anchors`): rare ones are the noisy ones.  Chance
          is measured, not modelled.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.language.message import refusal
from engine.vectors.align import procrustes
from engine.vectors.base import Vectors

ANCHORS, ALIKE, FEWEST = 3000, 301, 20


@dataclass(frozen=True, eq=False)
class Moved:
    """
    words     N words that both spaces know, commonest in the first space first
    counts    (N,) the smaller of the word's two counts; ones where nobody counted
    before    (N, D) their vectors in the first space, turned onto the second, of length 1
    after     (N, D) their vectors in the second space, of length 1
    """

    words: tuple[str, ...]
    counts: np.ndarray
    before: np.ndarray
    after: np.ndarray

    @cached_property
    def distance(self) -> np.ndarray:
        """(N,) from 0 (same direction) to 2 (opposite)."""
        return 1 - np.einsum("nd,nd->n", self.before, self.after)

    @cached_property
    def _row(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)}

    def row(self, word: str) -> int | None:
        return self._row.get(word, self._row.get(word.lower()))

    def neighbours(self, row: int, k: int = 10) -> tuple[list[str], list[str]]:
        """The nearest of the words that both know: in the first space, in the second."""
        found = []
        for unit_ND in (self.before, self.after):
            cosine_N = unit_ND @ unit_ND[row]
            cosine_N[row] = -np.inf
            found.append([self.words[i] for i in np.argsort(-cosine_N, kind="stable")[:k]])
        return found[0], found[1]

    def kept(self, row: int, k: int = 10) -> float:
        """Share of the k nearest words that are the same in both spaces."""
        first, second = self.neighbours(row, k)
        return len({*first} & {*second}) / max(1, len(first))


def compare(a: Vectors, b: Vectors, anchors: int = ANCHORS) -> Moved:
    """Space A turned onto space B.  ValueError when they share too few words or differ in width."""
    pairs = [
        (i, j)
        for i, word in enumerate(a.words)
        if (j := b.row(word)) is not None and b.words[j] == word
    ]
    if len(pairs) < FEWEST:
        raise refusal(
            "the two share {n} words; {FEWEST} are needed to turn one onto the other",
            n=len(pairs),
        )
    at_N, of_N = np.array(pairs).T
    counts = [
        np.ones(len(pairs)) if v.counts is None else v.counts[rows]
        for v, rows in ((a, at_N), (b, of_N))
    ]
    count_N = np.minimum(*counts)
    before_ND, after_ND = (
        _centred(v.unit[rows].astype(np.float64)) for v, rows in ((a, at_N), (b, of_N))
    )
    chosen = np.argsort(-count_N, kind="stable")[:anchors]
    turned_ND = before_ND @ procrustes(before_ND[chosen], after_ND[chosen])
    return Moved(tuple(a.words[i] for i in at_N), count_N, turned_ND, after_ND)


def _centred(unit_ND: np.ndarray) -> np.ndarray:
    centred_ND = unit_ND - unit_ND.mean(0)
    length_N1 = np.linalg.norm(centred_ND, axis=1, keepdims=True)
    found: np.ndarray = centred_ND / np.where(length_N1 > 0, length_N1, 1)
    return found


def chance(
    noise: Moved, count_M: np.ndarray, quantiles: tuple[float, ...] = (0.5, 0.95)
) -> np.ndarray:
    """(Q, M): quantiles of how far words move by chance alone, among the ALIKE words of `noise`
    nearest in frequency to each count."""
    order_N = np.argsort(noise.counts, kind="stable")
    log_N, distance_N = np.log1p(noise.counts[order_N]), noise.distance[order_N]
    width = min(ALIKE, len(log_N))
    middle_M = np.searchsorted(log_N, np.log1p(count_M))
    start_M = np.clip(middle_M - width // 2, 0, len(log_N) - width)
    window_NW = np.lib.stride_tricks.sliding_window_view(distance_N, width)
    unique_U, back_M = np.unique(start_M, return_inverse=True)
    found: np.ndarray = np.quantile(window_NW[unique_U], quantiles, axis=1)[:, back_M]
    return found
