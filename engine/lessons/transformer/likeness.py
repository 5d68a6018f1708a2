"""Likeness: how alike the tokens of a text are after each layer, by the cosines of their vectors.

What      cos(i, j) = x_i . x_j / (|x_i| |x_j|), of the stream before the first layer and after each;
          mean over all pairs i < j of different tokens
Source    Ethayarajh, How Contextual are Contextualized Word Representations?, 2019, sec. 3.3 (the
          cosine of vectors grows with depth); Dong et al., Attention is Not All You Need, 2021
          (attention alone makes all tokens alike; short cuts and feed-forward parts work against it)
Shapes    L = layers, T = tokens, D = width
Differs   Pairs within one text; Ethayarajh draws the words from many texts.
"""

from __future__ import annotations

import numpy as np


def cosines(stream_LTD: np.ndarray) -> np.ndarray:
    """(L + 1, T, T) float64 for a stream (L + 1, T, D); 0 beside a vector of zeros.  ValueError for
    other shapes."""
    if stream_LTD.ndim != 3:
        raise ValueError("A stream has three axes: layers, tokens, width")
    x_LTD = stream_LTD.astype(np.float64)
    length_LT1 = np.linalg.norm(x_LTD, axis=-1, keepdims=True)
    unit_LTD = np.divide(x_LTD, length_LT1, out=np.zeros_like(x_LTD), where=length_LT1 > 0)
    found: np.ndarray = np.clip(unit_LTD @ unit_LTD.swapaxes(-1, -2), -1.0, 1.0)
    return found


def mean(cosine_LTT: np.ndarray, skip: int = 0) -> np.ndarray:
    """The mean (L + 1,) over all pairs of tokens from `skip` on; ValueError where there is no
    pair."""
    inner_LTT = cosine_LTT[:, skip:, skip:]
    first, second = np.triu_indices(inner_LTT.shape[1], 1)
    if not len(first):
        raise ValueError("Two tokens at least make a pair")
    found: np.ndarray = inner_LTT[:, first, second].mean(-1)
    return found


def closest(cosine_TT: np.ndarray, tokens: np.ndarray) -> tuple[int, int]:
    """The two places i < j whose tokens differ and whose vectors are most alike; ValueError where
    all tokens are the same."""
    first, second = np.triu_indices(len(cosine_TT), 1)
    other = tokens[first] != tokens[second]
    if not other.any():
        raise ValueError("There is no pair of different tokens")
    best = int(np.where(other, cosine_TT[first, second], -2.0).argmax())
    return int(first[best]), int(second[best])
