"""Attention on small matrices, every step kept: what a reader can do by hand.

What      S = Q K^T; S / divisor; hidden places become -inf; A = softmax along one axis; O = A V
Source    Vaswani et al., Attention Is All You Need, 2017, sec. 3.2.1
Shapes    N = tokens that look, M = tokens looked at, K = numbers in a query or key, V = numbers in
          a value
Differs   The divisor and the axis can be chosen wrongly on purpose: not divided, divided by K,
          softmax down the columns.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

DIVISORS = ("√d", "1", "d")


@dataclass(frozen=True, eq=False)
class Steps:
    score_NM: np.ndarray
    scaled_NM: np.ndarray
    weight_NM: np.ndarray
    out_NV: np.ndarray


def softmax(score: np.ndarray, axis: int = -1) -> np.ndarray:
    """Shares that add up to 1 along `axis`; where everything is -inf there is no share, and all are
    nan."""
    with np.errstate(invalid="ignore"):
        grown = np.exp(score - score.max(axis, keepdims=True))
        return np.asarray(grown / grown.sum(axis, keepdims=True))


def attend(
    q_NK: np.ndarray,
    k_MK: np.ndarray,
    v_MV: np.ndarray,
    *,
    divisor: str = "√d",
    hidden_NM: np.ndarray | None = None,
    axis: int = 1,
) -> Steps:
    """ValueError, as numpy words it, where the shapes do not fit.  KeyError for a divisor that is
    none of DIVISORS."""
    score_NM = q_NK @ k_MK.T
    by = {"√d": math.sqrt(q_NK.shape[1]), "1": 1.0, "d": float(q_NK.shape[1])}[divisor]
    scaled_NM = score_NM / by
    seen_NM = scaled_NM if hidden_NM is None else np.where(hidden_NM, -np.inf, scaled_NM)
    weight_NM = softmax(seen_NM, axis)
    return Steps(score_NM, seen_NM, weight_NM, weight_NM @ v_MV)


def entropy(p: np.ndarray) -> np.ndarray:
    """Of each row, in nats; ln n for n equal shares, 0 for one that has it all."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(-np.where(p > 0, p * np.log(p), 0.0).sum(-1))


def slope(p: np.ndarray) -> np.ndarray:
    """Of each row the size (Frobenius norm) of the softmax's Jacobian diag(p) - p p^T: how much a
    score can still change a weight."""
    two, three = (p**2).sum(-1), (p**3).sum(-1)
    return np.asarray(np.sqrt(np.maximum(two - 2 * three + two**2, 0.0)))
