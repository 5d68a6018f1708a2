"""How fast a chain of states forgets in which state it began.

What      two beliefs p and q come nearer with each step: |p A - q A| <= |p - q|, in the long run by
          the modulus of the second eigenvalue of A, the first being 1.  1: never
Source    Levin, Peres & Wilmer, Markov Chains and Mixing Times, 2009, sections 4.1 and 12.1
Shapes    S = states, N = steps
Differs   The distance is that of total variation: half of the sum of the differences.
"""

from __future__ import annotations

import numpy as np


def second(a_SS: np.ndarray) -> float:
    """Modulus of the second largest eigenvalue; 0 of a chain of one state."""
    found = np.sort(np.abs(np.linalg.eigvals(a_SS)))[::-1]
    return float(found[1]) if len(found) > 1 else 0.0


def stationary(a_SS: np.ndarray) -> np.ndarray:
    """The belief that stays as it is: p = p A (S,)."""
    s = len(a_SS)
    equations = np.vstack([a_SS.T - np.eye(s), np.ones(s)])
    p_S: np.ndarray = np.linalg.lstsq(equations, np.r_[np.zeros(s), 1.0], rcond=None)[0]
    return p_S


def apart(
    one_S: np.ndarray, other_S: np.ndarray, a_SS: np.ndarray, like_TS: np.ndarray
) -> np.ndarray:
    """Distance of two beliefs after each token (T,), begun with before the first is read.
    `like_TS` of ones reads nothing.  Both are filtered at once, which is fast enough for every key."""
    p_2S, each_S = np.stack([one_S, other_S]), np.ones(len(a_SS))
    ends_T2S = np.empty((len(like_TS), 2, len(a_SS)))
    for t, like_S in enumerate(like_TS):
        both_2S = p_2S * like_S
        total_2 = both_2S @ each_S
        if total_2[0] > 0 < total_2[1]:
            ends_T2S[t] = both_2S / total_2[:, None]
        else:  # an impossible token says nothing, as in `recursions.forwards`
            for n in (0, 1):
                ends_T2S[t, n] = both_2S[n] / total_2[n] if total_2[n] > 0 else p_2S[n]
        p_2S = ends_T2S[t] @ a_SS
    found_T: np.ndarray = np.abs(ends_T2S[:, 0] - ends_T2S[:, 1]).sum(1) / 2
    return found_T


def unread(a_SS: np.ndarray, one: int, other: int, steps: int) -> np.ndarray:
    """Distance of two chains begun in two states, at the start and after each step (N + 1,)."""
    starts_NS = np.zeros((steps + 1, len(a_SS)))
    starts_NS[0, one] += 1
    starts_NS[0, other] -= 1
    for n in range(steps):
        starts_NS[n + 1] = starts_NS[n] @ a_SS
    found_N: np.ndarray = np.abs(starts_NS).sum(1) / 2
    return found_N
