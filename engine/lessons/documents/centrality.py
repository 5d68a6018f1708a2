"""Centrality: which sentences of a text are most like all others.

What      s_ij = max(0, cos(i, j)), s_ii = 0.  Degree: the sum of a row.  PageRank: p = (1 - d) / S + d p P, with P the
          rows of s divided by their sums, by power iteration from p = 1 / S.
          Maximal marginal relevance: the next sentence has the largest
          lambda c_i / max c - (1 - lambda) max over chosen j of s_ij
Source    Erkan & Radev, LexRank, 2004; Mihalcea & Tarau, TextRank, 2004; Carbonell & Goldstein, The Use of MMR,
          Diversity-based Reranking, 1998
Shapes    S = sentences, D = width
Differs   LexRank leaves out similarities below a threshold; here each counts with its size.  A sentence like no other
          passes its share on to all alike.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

DAMPING, CLOSE, MOST = 0.85, 1e-9, 500
LAMBDA = 0.5


def similarity(x_SD: np.ndarray) -> np.ndarray:
    """(S, S) of vectors of length 1."""
    found_SS: np.ndarray = np.clip(x_SD @ x_SD.T, 0.0, 1.0)
    np.fill_diagonal(found_SS, 0.0)
    return found_SS


def degree(s_SS: np.ndarray) -> np.ndarray:
    """Shares that sum to 1 (S,)."""
    row_S, total = s_SS.sum(1), s_SS.sum()
    found: np.ndarray = row_S / total if total else np.full(len(s_SS), 1 / max(1, len(s_SS)))
    return found


def pagerank(s_SS: np.ndarray, damping: float = DAMPING) -> tuple[np.ndarray, int]:
    """Shares that sum to 1 (S,), and how many steps it took."""
    count = len(s_SS)
    row_S1 = s_SS.sum(1, keepdims=True)
    p_SS = np.divide(s_SS, row_S1, out=np.full(s_SS.shape, 1 / max(1, count)), where=row_S1 > 0)
    p_S = np.full(count, 1 / max(1, count))
    for step in range(1, MOST + 1):
        after_S = (1 - damping) / count + damping * p_S @ p_SS
        if np.abs(after_S - p_S).sum() < CLOSE:
            return after_S, step
        p_S = after_S
    return p_S, MOST


def choose(central_S: np.ndarray, s_SS: np.ndarray, k: int, apart: bool) -> list[int]:
    """The k most central ones, best first; `apart`: by maximal marginal relevance."""
    if not apart:
        return [int(n) for n in np.argsort(-central_S, kind="stable")[:k]]
    found, scaled_S = list[int](), central_S / max(central_S.max(initial=0.0), 1e-12)
    while len(found) < min(k, len(central_S)):
        near_S = s_SS[:, found].max(1) if found else np.zeros(len(central_S))
        worth_S = LAMBDA * scaled_S - (1 - LAMBDA) * near_S
        worth_S[found] = -np.inf
        found.append(int(worth_S.argmax()))
    return found


def summary(some: Sequence[str], chosen: Sequence[int]) -> str:
    """The chosen sentences in the order of the text, a line each."""
    return "\n".join(some[n] for n in sorted(chosen))
