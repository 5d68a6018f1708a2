"""All paths of a short text, one by one: what the recursions add up without listing them.

What      P(s, w) = start[s_1] b_s_1(w_1) product over t > 1 of A[s_t-1, s_t] b_s_t(w_t)
Source    Rabiner, A Tutorial on Hidden Markov Models, Proceedings of the IEEE, 1989, section III.A
Shapes    S = states, T = tokens, P = S^T paths
"""

from __future__ import annotations

from itertools import product

import numpy as np

from engine.language.message import refusal

MOST = 4096


def listed(
    start_S: np.ndarray, a_SS: np.ndarray, like_TS: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Every path (P, T), in the order of its states, and its probability with the text (P,).
    ValueError for more than MOST."""
    t, s = like_TS.shape
    if s**t > MOST:
        raise refusal("{s}^{t} paths are too many to list")
    path_PT = np.array(list(product(range(s), repeat=t)), np.int64).reshape(-1, t)
    p_P = np.ones(len(path_PT))
    for n in range(t):
        step_P = start_S[path_PT[:, 0]] if n == 0 else a_SS[path_PT[:, n - 1], path_PT[:, n]]
        p_P = p_P * step_P * like_TS[n, path_PT[:, n]]
    return path_PT, p_P
