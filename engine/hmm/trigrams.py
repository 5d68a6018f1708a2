"""How often states follow each other in threes, and the probabilities that are made of that.

What      P(k | i, j) = l1 P1(k) + l2 P2(k | j) + l3 P3(k | i, j): shares of one, two and three
          states in a row; the three weights by deleted interpolation: each triple that was seen
          votes, as often as it was seen, for the order that would foretell it best had it been
          seen once less
Source    Brants, TnT: A Statistical Part-of-Speech Tagger, 2000, sections 2.1 and 2.2
Shapes    S = states, N = different triples, I, J, K = states that are asked for
Differs   Each order has one vote to begin with, so that nothing is impossible.  Where i,
          j was never seen P3 is P2 there, so that all of P(. | i, j) sum to 1.  State 0 is the line
          end, also before a line: what stood before a line end counts for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

END = 0


@dataclass(frozen=True)
class Trigrams:
    """`key_N` = (i S + j) S + k, rising; `count_N` how often."""

    s: int
    key_N: np.ndarray
    count_N: np.ndarray
    order: int = 2
    weights: tuple[float, float, float] = field(init=False)

    def __post_init__(self) -> None:
        s = self.s
        pair_N, k_N = np.divmod(self.key_N, s)
        j_N = pair_N % s
        c1_S = np.bincount(k_N, self.count_N, s)
        c2_SS = np.bincount(j_N * s + k_N, self.count_N, s * s).reshape(s, s)
        before_SS = np.bincount(pair_N, self.count_N, s * s).reshape(s, s)
        p1_S = c1_S / max(c1_S.sum(), 1)
        from_S = c2_SS.sum(1, keepdims=True)
        p2_SS = np.where(from_S > 0, c2_SS / np.maximum(from_S, 1), p1_S)
        less = [  # of each triple, its share had it been seen once less: one, two, three states
            _share(c1_S[k_N] - 1, c1_S.sum() - 1),
            _share(c2_SS[j_N, k_N] - 1, from_S[j_N, 0] - 1),
            _share(self.count_N - 1, before_SS.ravel()[pair_N] - 1),
        ][: self.order + 1]
        vote_N = np.argmax(less, 0)
        votes = np.bincount(vote_N, self.count_N, 3) + (np.arange(3) <= self.order)
        object.__setattr__(self, "weights", tuple((votes / votes.sum()).tolist()))
        object.__setattr__(self, "_p1_S", p1_S)
        object.__setattr__(self, "_p2_SS", p2_SS)
        object.__setattr__(self, "_before_SS", before_SS)

    @classmethod
    def counted(cls, lines: Iterable[Sequence[int]], s: int, order: int = 2) -> Trigrams:
        """Of lines of states, without their ends."""
        keys = []
        for line in lines:
            at = np.array([END, END, *line, END], np.int64)
            keys.append((at[:-2] * s + at[1:-1]) * s + at[2:])
        key_N, count_N = np.unique(np.concatenate(keys), return_counts=True)
        return cls(s, key_N, count_N, order)

    @property
    def share_S(self) -> np.ndarray:
        """P1: how often each state stands anywhere (S,)."""
        found: np.ndarray = self._p1_S  # type: ignore[attr-defined]
        return found

    def follows(self, i_I: np.ndarray, j_J: np.ndarray, k_K: np.ndarray) -> np.ndarray:
        """P(k | i, j) (I, J, K); with order 1 the same for every i."""
        one, two, three = self.weights
        p2_JK = self._p2_SS[j_J[:, None], k_K]  # type: ignore[attr-defined]
        low_JK = one * self._p1_S[k_K] + two * p2_JK  # type: ignore[attr-defined]
        if self.order == 1 or not len(self.key_N):
            return np.broadcast_to(low_JK, (len(i_I), *low_JK.shape))
        i_IJ = np.where(j_J == END, END, i_I[:, None])
        before_IJ = self._before_SS[i_IJ, j_J]  # type: ignore[attr-defined]
        key_IJK = ((i_IJ * self.s + j_J) * self.s)[..., None] + k_K
        at_IJK = np.minimum(np.searchsorted(self.key_N, key_IJK), len(self.key_N) - 1)
        seen_IJK = np.where(self.key_N[at_IJK] == key_IJK, self.count_N[at_IJK], 0)
        p3_IJK = np.where(
            before_IJ[..., None] > 0, seen_IJK / np.maximum(before_IJ, 1)[..., None], p2_JK
        )
        found: np.ndarray = low_JK + three * p3_IJK
        return found


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """0 where the whole is 0, as in the paper."""
    return np.where(whole > 0, part / np.maximum(whole, 1), 0.0)
