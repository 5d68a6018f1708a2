"""Likelihood: how probable a counted text is by its own counts, and by a row of the table that is moved off them.

What      log L = sum over the tokens of ln P(w | h) = sum over contexts h and words w of c(hw) ln P(w | h).  In the row
          of h let one word have x, and the others keep their proportions in 1 - x: with c of its C counts that row
          gives c ln x + (C - c) ln(1 - x) and a constant, which is largest at x = c / C
Source    Jurafsky & Martin, Speech and Language Processing, 3rd ed., sec. 3.1 (relative frequencies maximise the
          likelihood of the training text)
Shapes    G = n-grams of one order, all that end at a token of the text; W = words of a row, all of them counted
Differs   Nats, as in engine/ngram/evaluate.py.
"""

from __future__ import annotations

import math

import numpy as np

from engine.ngram.counts import Grams


def log_likelihood(grams: Grams) -> float:
    """Nats of the text that these n-grams were counted in, each token by its relative frequency after its context."""
    count_G = grams.count_G.astype(np.float64)
    total_G = grams.total_P[grams.context_G]
    some = count_G > 0
    return float((count_G[some] * np.log(count_G[some] / total_G[some])).sum())


def moved(count_W: np.ndarray, at: int, x: float) -> np.ndarray:
    """(W,) the row of relative frequencies with x for the word `at`, the others in their proportions."""
    rest = count_W.sum() - count_W[at]
    row_W = (1 - x) * count_W / rest if rest else np.zeros(len(count_W))
    row_W[at] = x
    return np.asarray(row_W)


def gained(count_W: np.ndarray, at: int, x: float) -> float:
    """Nats by which log L changes when the row is moved from its counts to `moved`; never more than 0."""
    row_W = moved(count_W, at, x)
    if (row_W[count_W > 0] <= 0).any():
        return -math.inf
    return float((count_W * np.log(row_W * count_W.sum() / count_W)).sum())
