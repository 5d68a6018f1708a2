"""Shapley values: what a token adds, averaged over all orders in which the tokens may come in.

What      exact     phi_t = sum over S without t of |S|! (P - |S| - 1)! / P! (f(S and t) - f(S))
          sampled   the mean over N orders of what t adds when it comes in; its standard error over the orders
Source    Shapley, A Value for n-Person Games, 1953; orders: Castro, Gómez & Tejada, Polynomial Calculation of the
          Shapley Value Based on Sampling, 2009
Shapes    P = players, N = orders
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import factorial

import numpy as np

from engine.analysis.attribution.game import Game

EXACT = 10  # players, whose 1,024 sets are all asked


@dataclass(frozen=True, slots=True)
class Sampled:
    """value, error: (P,) the mean, and the standard error of it, over so many orders."""

    value: np.ndarray
    error: np.ndarray
    orders: int


def exact(game: Game) -> np.ndarray:
    """(P,) from every set; of at most EXACT players."""
    count = game.count
    number_B = np.arange(2**count)
    here_BP = (number_B[:, None] >> np.arange(count)) & 1 > 0
    f_B, size_B = game.value(here_BP), here_BP.sum(1)
    share = [factorial(s) * factorial(count - s - 1) / factorial(count) for s in range(count)]
    found = np.zeros(count)
    for player in range(count):
        without_B = number_B[~here_BP[:, player]]
        adds_B = f_B[without_B + 2**player] - f_B[without_B]
        found[player] = (np.array(share)[size_B[without_B]] * adds_B).sum()
    return found


def added(game: Game, order_P: np.ndarray) -> np.ndarray:
    """(P,) what each player adds when they come in in this order."""
    count = game.count
    rank_P = np.empty(count, int)
    rank_P[order_P] = np.arange(count)
    f_B = game.value(rank_P < np.arange(count + 1)[:, None])
    return np.asarray(np.diff(f_B)[rank_P])


def sampled(game: Game, orders: int, seed: int = 0) -> Iterator[Sampled]:
    """After each order, from the second on, what is known so far."""
    rng = np.random.default_rng(seed)
    adds_NP = np.empty((orders, game.count))
    for n in range(orders):
        adds_NP[n] = added(game, rng.permutation(game.count))
        if n:
            some_NP = adds_NP[: n + 1]
            yield Sampled(some_NP.mean(0), some_NP.std(0, ddof=1) / np.sqrt(n + 1), n + 1)
