"""How fast a chain of states forgets in which state it began.

What      two beliefs p and q come nearer with each step: |p A - q A| <= |p - q|, in the long run by
          the modulus of the second eigenvalue of A, the first being 1.  1: never
Source    Levin, Peres & Wilmer, Markov Chains and Mixing Times, 2009, sections 4.1 and 12.1
Shapes    S = states, N = steps
Differs   The distance is that of total variation: half of the sum of the differences.
"""

from __future__ import annotations

import numpy as np

from engine.hmm import recursions

OFTEN = 8  # steps between two scalings
ROUNDING = 1e-15  # of two sums of 1: what is nearer counts as met


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
    `like_TS` of ones reads nothing.  Both are filtered at once and scaled at the end, in a third of the
    time: short enough for every key."""
    p_2S, ends_T2S = np.stack([one_S, other_S]), np.empty((len(like_TS), 2, len(a_SS)))
    with np.errstate(divide="ignore", invalid="ignore"):
        for t, like_S in enumerate(like_TS):
            p_2S = np.multiply(p_2S, like_S, out=ends_T2S[t]) @ a_SS
            if t % OFTEN == 0:  # before the numbers are too small
                p_2S /= p_2S.sum(1, keepdims=True)
        ends_T2S /= (total_T2 := ends_T2S.sum(2, keepdims=True))
    if not (
        total_T2 > 0
    ).all():  # some token is impossible for one of them, which `forwards` passes over
        both = (recursions.forwards(start_S, a_SS, like_TS)[1] for start_S in (one_S, other_S))
        ends_T2S = np.stack([*both], 1)
    found_T: np.ndarray = np.abs(ends_T2S[:, 0] - ends_T2S[:, 1]).sum(1) / 2
    found_T[found_T < ROUNDING] = 0
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
