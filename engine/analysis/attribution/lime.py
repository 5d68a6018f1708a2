"""LIME: a linear model of the answer around a text, fitted to texts with tokens left out at random.

What      min over w, b of sum over n of k_n (f(S_n) - b - sum over t in S_n of w_t)^2;
          k = exp(-d^2 / width^2), d = 1 - sqrt(|S| / P), the cosine distance to the whole text
Source    Ribeiro, Singh & Guestrin, "Why Should I Trust You?", 2016, and the authors' code for texts
Shapes    N = samples, P = players
Differs   Least squares without a penalty, so that w is in the unit of f; with Shapley's weights in place of k and all
          sets w is the Shapley value (Lundberg & Lee, 2017), which the tests ask for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.analysis.attribution.game import Game

SAMPLES, WIDTH = 256, 0.25


@dataclass(frozen=True, slots=True)
class Fitted:
    """weight (P,), start: b, and which share of the weighted variance of f the line explains."""

    weight: np.ndarray
    start: float
    r2: float


def draw(count: int, samples: int = SAMPLES, seed: int = 0) -> np.ndarray:
    """(N, P) who is there: all in the first, and of the others as many are left out as a die says."""
    rng = np.random.default_rng(seed)
    here_NP = np.ones((samples, count), bool)
    for n in range(1, samples):
        here_NP[n, rng.permutation(count)[: rng.integers(1, count + 1)]] = False
    return here_NP


def kernel(here_NP: np.ndarray, width: float = WIDTH) -> np.ndarray:
    d_N = 1 - np.sqrt(here_NP.mean(1))
    return np.asarray(np.exp(-((d_N / width) ** 2)))


def fit(here_NP: np.ndarray, f_N: np.ndarray, weight_N: np.ndarray) -> Fitted:
    x_NQ = np.column_stack([here_NP, np.ones(len(here_NP))]).astype(float)
    root_N = np.sqrt(weight_N)
    made_Q, *_ = np.linalg.lstsq(x_NQ * root_N[:, None], f_N * root_N, rcond=None)
    mean = float((weight_N * f_N).sum() / weight_N.sum())
    spread = float((weight_N * (f_N - mean) ** 2).sum())
    left = float((weight_N * (f_N - x_NQ @ made_Q) ** 2).sum())
    return Fitted(made_Q[:-1], float(made_Q[-1]), 1 - left / spread if spread else 1.0)


def lime(game: Game, samples: int = SAMPLES, width: float = WIDTH, seed: int = 0) -> Fitted:
    here_NP = draw(game.count, samples, seed)
    return fit(here_NP, game.value(here_NP), kernel(here_NP, width))
