"""Output layer: one that all words of a vocabulary share, or a net of its own for each word.

What      logit_v = w_v . x + b_v.  As one layer W (D x V) and b (V); as V nets of one output each,
          w_v (D) and b_v: the same numbers, V (D + 1).  With a hidden layer of H units in front,
          shared  D H + H + V (H + 1); one for each word  V (D H + H + H + 1)
Source    counted; Vaswani et al., Attention Is All You Need, 2017, sec. 3.4
Shapes    D = width, V = words, H = hidden units, 0 for none
"""

from __future__ import annotations

import numpy as np


def shared(width: int, words: int, hidden: int = 0) -> int:
    """Parameters of one layer for all words, biases among them."""
    return (width + 1) * hidden + words * ((hidden or width) + 1)


def separate(width: int, words: int, hidden: int = 0) -> int:
    """Parameters of a net for each word."""
    return words * shared(width, 1, hidden)


def addends(
    x_D: np.ndarray, weight_D: np.ndarray, most: int
) -> tuple[list[tuple[int, float]], float]:
    """The `most` largest products x_k w_k as (k, product), by size, and the sum of all others."""
    product_D = np.asarray(x_D, float) * np.asarray(weight_D, float)
    order = np.argsort(-np.abs(product_D), kind="stable")[:most]
    kept = [(int(k), float(product_D[k])) for k in order]
    return kept, float(product_D.sum() - sum(value for _, value in kept))
