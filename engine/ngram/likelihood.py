"""Likelihood: how probable a counted text is by its own counts, and by a row of the table that is moved off them.

What      log L = sum over the tokens of ln P(w | h) = sum over contexts h and words w of c(hw) ln P(w | h).  In the row
          of h let one word have x, and the others keep their proportions in 1 - x: with c of its C counts that row
          gives c ln x + (C - c) ln(1 - x) and a constant, which is largest at x = c / C
Source    Jurafsky & Martin, Speech and Language Processing, 3rd ed., sec. 3.1 (relative frequencies maximise the
          likelihood of the training text)
Shapes    W = words of a row, all of them counted
Differs   Nats, as in engine/ngram/evaluate.py.
"""

from __future__ import annotations

import math

import numpy as np

from engine.ngram.smoothed import Smoothed


def log_likelihood(model: Smoothed, stream_N: np.ndarray) -> float:
    """Nats of a counted stream, from its second token on; -inf where one of them is impossible."""
    with np.errstate(divide="ignore"):
        return float(np.log(model.probabilities(stream_N).astype(np.float64)).sum())


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
