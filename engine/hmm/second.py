"""The recursions of a hidden Markov model whose states depend on the two before them.

What      filter    f_t(j, k) = P(s_t-1 = j, s_t = k | w_1..t), proportional to
                    sum_i f_t-1(i, j) P(k | i, j) b_k(w_t)
          smooth    g_t(k) = P(s_t = k | all words), by looking back over the same pairs
          Viterbi   d_t(j, k) = max_i d_t-1(i, j) P(k | i, j) b_k(w_t), and the i it comes from
Source    He, Extended Viterbi Algorithm for Second Order Hidden Markov Process, ICPR 1988;
          Thede & Harper, A Second-Order Hidden Markov Model for Part-of-Speech Tagging, ACL 1999
Shapes    T = tokens; I, J, K = states that can write the token two before, the one before, this one
Differs   Of each token only the states that can write it are looked at.  That is exact: all others
          have the probability 0.  Nothing is cut off by a beam.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

Follows = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""(states I, states J, states K) -> P(k | i, j) (I, J, K)."""
Place = tuple[np.ndarray, np.ndarray]
"""The states that can write a token, and how likely each is to (K,), above 0."""


def viterbi(follows: Follows, places: Sequence[Place]) -> np.ndarray:
    """The likeliest path (T,) behind a line end, state 0.  Ties: the first state."""
    if not places:
        return np.zeros(0, np.int64)
    end = np.zeros(1, np.int64)
    i_I, j_J, best_IJ = end, end, np.zeros((1, 1))
    backs = []
    for k_K, like_K in places:
        with np.errstate(divide="ignore"):
            from_IJK = best_IJ[..., None] + np.log(follows(i_I, j_J, k_K))
        back_JK = from_IJK.argmax(0)
        best_IJ = from_IJK.max(0) + np.log(like_K)
        backs.append(back_JK)
        i_I, j_J = j_J, k_K
    j, k = np.unravel_index(int(best_IJ.argmax()), best_IJ.shape)
    found_T = np.empty(len(places), np.int64)
    for t in range(len(places) - 1, -1, -1):
        found_T[t] = places[t][0][k]
        j, k = backs[t][j, k], j
    return found_T


def forwards(follows: Follows, places: Sequence[Place]) -> tuple[list[np.ndarray], np.ndarray]:
    """Beliefs in pairs (J, K) of each token, and the probability of each token (T,)."""
    end = np.zeros(1, np.int64)
    i_I, j_J, f_IJ = end, end, np.ones((1, 1))
    found, scale_T = [], np.empty(len(places))
    for t, (k_K, like_K) in enumerate(places):
        f_JK = np.einsum("ij,ijk->jk", f_IJ, follows(i_I, j_J, k_K)) * like_K
        scale_T[t] = total = f_JK.sum()
        f_IJ = f_JK / total if total > 0 else np.full(f_JK.shape, 1 / f_JK.size)
        found.append(f_IJ)
        i_I, j_J = j_J, k_K
    return found, scale_T


def smoothed(
    follows: Follows, places: Sequence[Place], filter_T: Sequence[np.ndarray]
) -> list[np.ndarray]:
    """P(state before, state | all tokens) (J, K) of each token; `filter_T` as of `forwards`."""
    end = np.zeros(1, np.int64)
    found: list[np.ndarray] = []
    after_JK = np.ones(filter_T[-1].shape) if places else np.ones((1, 1))
    for t in range(len(places) - 1, -1, -1):
        both_JK = filter_T[t] * after_JK
        total = both_JK.sum()
        found.append(both_JK / total if total > 0 else filter_T[t])
        if t:
            i_I = places[t - 2][0] if t > 1 else end
            j_J, (k_K, like_K) = places[t - 1][0], places[t]
            after_IJ = np.einsum("ijk,jk->ij", follows(i_I, j_J, k_K), like_K * after_JK)
            after_JK = after_IJ / max(float(after_IJ.max()), 1e-300)
    return found[::-1]
