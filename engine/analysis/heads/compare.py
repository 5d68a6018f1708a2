"""Two readings of all heads side by side: which tokens stand in both, and how far apart each head's
weights lie on them.

What      divergence = mean over tokens of JS(a, b) in bits, JS(a, b) = H((a + b) / 2) - (H(a) +
          H(b)) / 2, from 0 (the same) to 1
          difference = mean over tokens of sum |a - b| / 2, the share of the weight that lies
          elsewhere
Source    Lin, Divergence Measures Based on the Shannon Entropy, IEEE Transactions on Information
          Theory, 1991
Shapes    L = layers, N = heads, T = tokens compared
Differs   Texts of one length are compared place by place; others on the tokens that both have, in
          order, each row sharing out 1 among those.
"""

from __future__ import annotations

from difflib import SequenceMatcher

import numpy as np


def aligned(one: tuple[str, ...], two: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The places of both texts that are compared, pairwise."""
    if len(one) == len(two):
        return np.arange(len(one)), np.arange(len(two))
    blocks = SequenceMatcher(None, one, two, autojunk=False).get_matching_blocks()
    pairs = [(b.a + i, b.b + i) for b in blocks for i in range(b.size)]
    return np.array([a for a, _ in pairs], int), np.array([b for _, b in pairs], int)


def cut(weight_LNTT: np.ndarray, place_T: np.ndarray) -> np.ndarray:
    """The weights among these places; a row shares out 1 again, or is 0 where nothing is left."""
    left = weight_LNTT[:, :, place_T[:, None], place_T].astype(np.float64)
    whole = left.sum(-1, keepdims=True)
    found: np.ndarray = np.divide(left, whole, out=np.zeros_like(left), where=whole > 0)
    return found


def divergence(a_LNTT: np.ndarray, b_LNTT: np.ndarray) -> np.ndarray:
    """(L, N) in bits."""
    found: np.ndarray = np.maximum(
        entropy((a_LNTT + b_LNTT) / 2) - (entropy(a_LNTT) + entropy(b_LNTT)) / 2, 0
    ).mean(-1)
    return found


def difference(a_LNTT: np.ndarray, b_LNTT: np.ndarray) -> np.ndarray:
    """(L, N), from 0 to 1."""
    found: np.ndarray = np.abs(a_LNTT - b_LNTT).sum(-1).mean(-1) / 2
    return found


def entropy(p: np.ndarray) -> np.ndarray:
    """Over the last axis, in bits."""
    found: np.ndarray = -(p * np.log2(np.where(p > 0, p, 1))).sum(-1)
    return found
