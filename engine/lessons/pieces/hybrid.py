"""Hybrid: a table of whole words and one of n-grams together, in two ways.

What      `fit_bridge`: a matrix that takes the sum of a word's n-grams to where its row of the other table
          would be: least squares over the words that both know, with every tenth left out to try it on ·
          `join`: both vectors of each word, each of length 1, one behind the other
Source    Pinter, Guthrie & Eisenstein, Mimicking Word Embeddings using Subword RNNs, 2017 (with a net in
          place of the matrix)
Shapes    N = words that both know, D = width of the table of words, P = width of that of n-grams
Differs   The n-grams were learned from texts that the words left out stand in, too: what is tried is the
          matrix alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.models.abilities import Knows
from engine.vectors.base import Vectors

MOST = 8_000  # words that it is fitted to, from the commonest to the rarest: the n-grams of the commonest alone
# hold whole words, and say little of what a new word is made of
EVERY = 10  # one in so many is left out
FIRST = 10


@dataclass(frozen=True, slots=True)
class Bridge:
    """
    matrix  (P + 1, D), the last row what is added
    tried   words that were left out
    rank    of their own row among all, by the cosine with where they are put: the median
    share   of them whose own row is among the first `FIRST`
    """

    matrix: np.ndarray
    tried: int
    rank: float
    share: float

    def carry(self, vector_P: np.ndarray) -> np.ndarray:
        """Where a word's n-grams put it in the table of words: (D,)."""
        found: np.ndarray = _input(np.atleast_2d(vector_P))[0] @ self.matrix
        return found


def fit_bridge(words: Knows, made: Knows) -> Bridge:
    """ValueError where there is too little that both know."""
    both = [(i, v) for i, v in _composed(words.space.words, made) if np.any(v)]
    if len(both) < 2 * EVERY:
        raise ValueError("These two tables have too few words in common.")
    row_N = np.array([i for i, _v in both])
    x_NP = _input(np.array([v for _i, v in both]))
    y_ND = words.space.values[row_N].astype(np.float64)
    out_N = np.arange(len(both)) % EVERY == EVERY - 1
    matrix = np.linalg.lstsq(x_NP[~out_N], y_ND[~out_N], rcond=None)[0]
    cosine_QV = words.space.cosines(x_NP[out_N] @ matrix)
    own_Q = cosine_QV[np.arange(len(cosine_QV)), row_N[out_N]]
    rank_Q = (cosine_QV > own_Q[:, None]).sum(1) + 1
    return Bridge(matrix, len(rank_Q), float(np.median(rank_Q)), float((rank_Q <= FIRST).mean()))


def join(words: Knows, made: Knows) -> Vectors:
    """Of the words that both tables have a row for."""
    rows = [
        (a, b)
        for a, word in enumerate(words.space.words)
        if (b := made.space.row(word)) is not None
    ]
    a_N, b_N = np.array(rows, np.int64).reshape(-1, 2).T
    joined = np.hstack([words.space.unit[a_N], made.space.unit[b_N]])
    return Vectors(tuple(words.space.words[a] for a in a_N), joined)


def _composed(words: tuple[str, ...], made: Knows) -> list[tuple[int, np.ndarray]]:
    """Rows of words, evenly over the table, and what their n-grams make."""
    some = range(0, len(words), math.ceil(len(words) / MOST) or 1)
    every = ((i, made.compose(words[i])) for i in some if words[i].isalpha())
    return [(i, vector) for i, vector in every if vector is not None]


def _input(vector_NP: np.ndarray) -> np.ndarray:
    """Of length 1, with a 1 behind them."""
    length_N1 = np.linalg.norm(vector_NP, axis=1, keepdims=True)
    unit_NP = vector_NP / np.where(length_N1 > 0, length_N1, 1)
    return np.hstack([unit_NP.astype(np.float64), np.ones((len(unit_NP), 1))])
