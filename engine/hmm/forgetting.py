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


def read(p_2S: np.ndarray, a_SS: np.ndarray, like_S: np.ndarray) -> tuple[float, np.ndarray]:
    """Distance of two beliefs after a token that was expected with them, and the beliefs before the next
    one.  `like_S` of ones reads nothing; a token that is impossible for a belief says nothing to it."""
    both_2S = p_2S * like_S
    total_2 = np.add.reduce(both_2S, 1, keepdims=True)
    both_2S = both_2S / total_2 if total_2[0] > 0 < total_2[1] else recursions.rows(both_2S, p_2S)
    distance = float(np.add.reduce(np.abs(both_2S[0] - both_2S[1]))) / 2
    return distance if distance >= ROUNDING else 0.0, both_2S @ a_SS


def unread(a_SS: np.ndarray, one: int, other: int, steps: int) -> np.ndarray:
    """Distance of two chains begun in two states, at the start and after each step (N + 1,)."""
    starts_NS = np.zeros((steps + 1, len(a_SS)))
    starts_NS[0, one] += 1
    starts_NS[0, other] -= 1
    for n in range(steps):
        starts_NS[n + 1] = starts_NS[n] @ a_SS
    found_N: np.ndarray = np.abs(starts_NS).sum(1) / 2
    return found_N
