"""A text drawn from a hidden Markov model: a state, what it writes, the state after it, and so on.

What      s_1 ~ start, w_t ~ B[s_t], s_t+1 ~ A[s_t]: the first whose cumulative share is above a
          uniform number, one number for each choice, states and words in turn
Source    Rabiner, A Tutorial on Hidden Markov Models, Proceedings of the IEEE, 1989, section II.B
Shapes    S = states, V = vocabulary, T = words
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np


def draw(
    start_S: np.ndarray, a_SS: np.ndarray, b_SV: np.ndarray, uniforms: Sequence[float]
) -> Iterator[tuple[int, int]]:
    """(state, word) for every two numbers."""
    p_S = start_S
    for u, v in zip(uniforms[::2], uniforms[1::2], strict=True):
        s = pick(p_S, u)
        yield s, pick(b_SV[s], v)
        p_S = a_SS[s]


def pick(p_N: np.ndarray, u: float) -> int:
    """The first whose cumulative share is above u; rounding leaves the last possible one."""
    upto_N = np.cumsum(p_N)
    return int(min(np.searchsorted(upto_N, u * upto_N[-1], "right"), np.flatnonzero(p_N)[-1]))
