"""Label smoothing: the right answer gets a little less than 1, the others a little more than 0.

What      torch and the training room: q = (1 - e) [k is right] + e / K
          the notes:                   q = 1 - e for the right one, e / (K - 1) for each other
          loss = - sum q log p;  least possible: the entropy of q, where p = q
Source    Szegedy et al., Rethinking the Inception Architecture for Computer Vision, 2016, sec. 7
Shapes    K = answers
"""

from __future__ import annotations

import math

import numpy as np


def target(k: int, right: int, share: float, spread_on_all: bool = True) -> np.ndarray:
    """(K,); `spread_on_all`: as torch does, the right answer included."""
    q = np.full(k, share / k if spread_on_all else share / (k - 1))
    q[right] = 1 - share + (share / k if spread_on_all else 0)
    return q


def logarithms(logits: np.ndarray) -> np.ndarray:
    """log p (K,) of logits."""
    shifted = logits - logits.max()
    found: np.ndarray = shifted - np.log(np.exp(shifted).sum())
    return found


def loss(logits: np.ndarray, q: np.ndarray) -> float:
    """Nats."""
    return float(-(q * logarithms(logits)).sum())


def floor(q: np.ndarray) -> float:
    """The least loss that any logits reach, in nats."""
    some = q[q > 0]
    return float(-(some * np.log(some)).sum()) + 0.0


def gap(q: np.ndarray, right: int) -> float:
    """By how much the right logit is above the others where the loss is least; without end where the
    target asks for nothing of one of them."""
    own, other = float(q[right]), float(np.delete(q, right).max())
    if not (own and other):
        return math.inf if own else -math.inf
    return math.log(own / other)


def as_torch(share: float, k: int) -> float:
    """What torch has to be given for the target that the notes call `share`."""
    return share * k / (k - 1)
