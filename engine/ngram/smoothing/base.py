"""Smoothing: what of each count stays with its n-gram, and what is left to shorter contexts.

What      a method says how much each counted n-gram keeps, alpha(hw).  What a context has not given
          away, gamma(h), goes to the next shorter context h' (h without its first token):
              interpolation   P_m(w | h) = alpha(hw) + gamma(h) P_{m-1}(w | h')
              back-off        P_m(w | h) = alpha(hw) where hw was counted, else gamma(h) P_{m-1}(w |
                              h')
          with P_0 uniform.  So that a row sums to 1, gamma(h) = 1 - sum_w alpha(hw); in back-off
          divided by
          1 - sum_{w counted} P_{m-1}(w | h').
Source    Chen & Goodman, An Empirical Study of Smoothing Techniques for Language Modeling, 1999,
          sec. 2.8: both forms
Shapes    G = n-grams of one order, P = contexts of one order, N = tokens of a stream
Differs   A sentence begins with one <s>, as in KenLM, not with n - 1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.ngram.counts import Counts, sums

NONE = 1e-9  # less mass than this is a rounding error


@dataclass(frozen=True, slots=True)
class Level:
    """The n-grams of one order with what a method may look at.  One context alone is a level too,
    with P = 1.

    rooted_P   contexts that begin with <s>: at their place no longer one can be known
    predicted  number of tokens that can come next
    """

    order: int
    orders: int
    count_G: np.ndarray
    first_P: np.ndarray
    total_P: np.ndarray
    rooted_P: np.ndarray
    predicted: int
    learned: Mapping[str, np.ndarray]

    def each(self, value_P: np.ndarray) -> np.ndarray:
        """(G,) the value of each n-gram's context."""
        return np.repeat(value_P, np.diff(self.first_P))

    def share(self, value_G: np.ndarray) -> np.ndarray:
        """(G,) float64: a value in proportion to all that was counted after its context."""
        total_P = np.maximum(self.total_P, 1)
        return np.asarray(value_G / (total_P[0] if len(total_P) == 1 else self.each(total_P)))

    @property
    def is_longest(self) -> np.ndarray:
        """(P,) whether nothing longer than this context can be known."""
        return self.rooted_P | (self.order == self.orders)


class Smoothing(ABC):
    """A method with its settings (the dataclass fields).  What it learns from counts is kept beside
    it, as arrays."""

    title: ClassVar[str]
    rank: ClassVar[int] = 1000  # its place in lists
    idea: ClassVar[str]  # in one sentence
    source: ClassVar[str]
    formula: ClassVar[str]  # LaTeX, in the terms of this file
    interpolates: ClassVar[bool] = True  # False: backs off
    uniform: ClassVar[bool] = True  # False: below the unigrams there is nothing
    adjusted: ClassVar[bool] = False  # reads Kneser-Ney's adjusted counts
    is_probability: ClassVar[bool] = True  # False: what it gives does not sum to 1

    @property
    def skipped(self) -> float:
        """gamma of a context that was never seen."""
        return 1.0

    @property
    def tunes(self) -> bool:
        """Whether it has weights to fit that nobody has given."""
        return False

    def tuned(self, counts: Counts, apart_N: np.ndarray, predicted: int) -> Smoothing:
        """The method with such weights, fitted to a stream of lines that were not counted.

        predicted  how many tokens share the uniform distribution
        """
        return self

    def learn(self, counts: Counts, held_out: np.ndarray | None) -> dict[str, np.ndarray]:
        """Numbers that come from all counts (before any cut-off), or from a held-out stream (N,) of
        sentences."""
        return {}

    @abstractmethod
    def kept(self, level: Level) -> np.ndarray:
        """alpha: (G,) what each n-gram gets by itself, as a share of 1."""

    def left(self, level: Level, alpha_G: np.ndarray, lower_G: np.ndarray | None) -> np.ndarray:
        """gamma: (P,) what each context leaves to the next shorter one; 1 where nothing was counted
        after it.

        lower_G  in back-off, the shorter context's probability of each n-gram's last token
        """
        left_P = 1 - sums(level.first_P, alpha_G)
        left_P[np.abs(left_P) < NONE] = 0
        if lower_G is None:
            return left_P
        lower_P = 1 - sums(level.first_P, lower_G)
        return np.divide(left_P, lower_P, out=np.zeros_like(left_P), where=lower_P > NONE)


def count_of_counts(count_G: np.ndarray, most: int) -> np.ndarray:
    """(most + 1,) how many n-grams were counted 0, 1, ... times."""
    return np.bincount(np.minimum(count_G, most + 1), minlength=most + 2)[: most + 1]


def one_discount(count_G: np.ndarray) -> float:
    """n_1 / (n_1 + 2 n_2), from n-grams counted once and twice; 1/2 where none was counted once or
    twice."""
    _, n1, n2 = count_of_counts(count_G, 2).tolist()
    return n1 / (n1 + 2 * n2) if n1 and n2 else 0.5


def unigrams(level: Level, floor: bool) -> np.ndarray:
    """alpha of order 1: plain shares, or with a little taken off each so that tokens never counted
    get something."""
    if not floor:
        return level.share(level.count_G)
    return level.share(np.maximum(level.count_G - one_discount(level.count_G), 0))
