"""Several heads as one: the average, the largest weight, and rollout, what reaches a token through
all layers so far.

What      average and maximum over the heads of a layer; rollout R_l = (A_l / 2 + I / 2) R_(l-1),
          R_0 = I, A_l the average
Source    Abnar & Zuidema, Quantifying Attention Flow in Transformers, ACL 2020, sec. 3 (half for
          the residual connection)
Shapes    L = layers, N = heads, T = tokens
Differs   Nothing.  A row of the maximum adds up to 1 or more: it is no distribution.
"""

from __future__ import annotations

import numpy as np

NAMES = ("average", "maximum", "rollout")


def step(average_TT: np.ndarray, before_TT: np.ndarray | None) -> np.ndarray:
    """Rollout after one more layer; `before_TT` is None below the first."""
    half_TT = average_TT / 2 + np.eye(len(average_TT), dtype=average_TT.dtype) / 2
    found: np.ndarray = half_TT if before_TT is None else half_TT @ before_TT
    return found


def combine(weight_LNTT: np.ndarray) -> np.ndarray:
    """(L, 3, T, T): of each layer the average, the maximum and the rollout up to it."""
    found, before = (
        np.empty((len(weight_LNTT), len(NAMES), *weight_LNTT.shape[2:]), np.float32),
        None,
    )
    for layer, weight_NTT in enumerate(weight_LNTT):
        average_TT = weight_NTT.mean(0)
        before = step(average_TT, before)
        found[layer] = average_TT, weight_NTT.max(0), before
    return found
