"""Co-occurrence: how often each word stands near each other one.

What      X_ij = sum over the places of word i of the places of word j at distance 1 to `window` in
          the same line,
          each counting 1 (flat) or 1 / distance
Source    Lund & Burgess, Producing High-Dimensional Semantic Spaces from Lexical Co-occurrence,
          1996 (nearer counts more);
          Pennington, Socher & Manning, GloVe, 2014, sec. 4.2 (1 / distance)
Shapes    V = vocabulary, M = words of the text, P = pairs of places
Differs   Row i is the word, column j its context.  With contexts on both sides the table is
          symmetric.  Words outside the vocabulary are left out before windows are laid, as word2vec
          and GloVe do.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy import sparse

from engine.language.message import refusal

CHUNK = 1 << 20  # words of the text at a time: about 250 MB at a window of 10
SIDES: tuple[Sides, ...] = ("both", "left", "right")
WEIGHTINGS: tuple[Weighting, ...] = ("flat", "distance")

Sides = Literal["both", "left", "right"]
Weighting = Literal["flat", "distance"]


def count(
    word_M: np.ndarray,
    line_M: np.ndarray,
    v: int,
    window: int,
    sides: Sides = "both",
    weighting: Weighting = "flat",
) -> sparse.csr_array:
    """The table (V, V), float64.  `line_M`: which line each word stands in; no window crosses from
    one to another."""
    if window < 1:
        raise refusal("a window reaches one word at least; {window} was given")
    right_VV = sparse.csr_array((v, v), dtype=np.float64)
    for start in range(0, len(word_M), CHUNK):
        stop = min(len(word_M), start + CHUNK)
        here, near, counts = [], [], []
        for d in range(1, window + 1):
            a, b = slice(start, min(stop, len(word_M) - d)), slice(start + d, stop + d)
            if a.stop <= a.start:
                break
            same_P = line_M[a] == line_M[b]
            here.append(word_M[a][same_P])
            near.append(word_M[b][same_P])
            counts.append(np.full(len(here[-1]), 1 / d if weighting == "distance" else 1.0))
        if here:
            pairs = np.concatenate(here).astype(np.int32), np.concatenate(near).astype(np.int32)
            right_VV = (
                right_VV + sparse.coo_array((np.concatenate(counts), pairs), shape=(v, v)).tocsr()
            )
    found_VV = {"right": right_VV, "left": right_VV.T, "both": right_VV + right_VV.T}[sides].tocsr()
    found_VV.sort_indices()
    return found_VV


def lines_of(stream_N: np.ndarray, boundary: int, left_out: int) -> tuple[np.ndarray, np.ndarray]:
    """(word_M, line_M) of a stream of ids with a boundary between lines; words with the id
    `left_out` are gone."""
    ends_N = stream_N == boundary
    kept_N = ~ends_N & (stream_N != left_out)
    return stream_N[kept_N], np.cumsum(ends_N, dtype=np.int32)[kept_N]
