"""Surfaces of two weights, on which the way of an optimiser can be seen.

Source    Rosenbrock, An Automatic Method for Finding the Greatest or Least Value of a Function,
          1960; Himmelblau, Applied Nonlinear Programming, 1972; the saddle: Dauphin et al.,
          Identifying and Attacking the Saddle Point Problem, 2014
Shapes    w (..., 2): two weights x and y; a loss (...)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

COLUMNS, ROWS = 144, 96


@dataclass(frozen=True, slots=True)
class Surface:
    """loss     of w (..., 2)
    formula  the same in LaTeX
    box      (least x, most x, least y, most y) that is drawn
    start    where a race begins
    lowest   where the loss is lowest
    rates    of each optimiser (race.py) the one of race.RATES that ends lowest from `start`
    """

    title: str
    says: str
    loss: Callable[[Tensor], Tensor]
    formula: str
    box: tuple[float, float, float, float]
    start: tuple[float, float]
    lowest: tuple[tuple[float, float], ...]
    rates: Mapping[str, float]

    def grid(self) -> np.ndarray:
        """The loss at the middle of each cell (ROWS, COLUMNS) of the box, the top row first."""
        left, right, bottom, top = self.box
        x = left + (right - left) * (np.arange(COLUMNS) + 0.5) / COLUMNS
        y = top - (top - bottom) * (np.arange(ROWS) + 0.5) / ROWS
        w = torch.from_numpy(np.stack(np.meshgrid(x, y), -1))
        found: np.ndarray = self.loss(w).numpy()
        return found


def _valley(w: Tensor) -> Tensor:
    return 0.5 * w[..., 0] ** 2 + 20 * w[..., 1] ** 2


def _turned(w: Tensor) -> Tensor:
    along, across = w[..., 0] + w[..., 1], w[..., 0] - w[..., 1]
    return 0.25 * along**2 + 10 * across**2


def _rosenbrock(w: Tensor) -> Tensor:
    x, y = w[..., 0], w[..., 1]
    return (1 - x) ** 2 + 100 * (y - x**2) ** 2


def _saddle(w: Tensor) -> Tensor:
    x, y = w[..., 0], w[..., 1]
    return 0.5 * x**2 - 0.5 * y**2 + 0.125 * y**4 + 0.5


def _four(w: Tensor) -> Tensor:
    x, y = w[..., 0], w[..., 1]
    return (x**2 + y - 11) ** 2 + (x + y**2 - 7) ** 2


def _rates(
    sgd: float, momentum: float, rmsprop: float, adam: float, muon: float
) -> dict[str, float]:
    return {
        "plain": sgd,
        "sgd": momentum,
        "rmsprop": rmsprop,
        "adam": adam,
        "adamw": adam,
        "muon": muon,
    }


SURFACES: Mapping[str, Surface] = {
    "valley": Surface(
        "Long valley",
        "Forty times as steep across as along. One rate for both directions is too long for the one"
        " or too short for the other.",
        _valley,
        r"\tfrac12 (x^2 + 40\, y^2)",
        (-3.2, 3.2, -1.4, 1.4),
        (-2.8, 1.0),
        ((0.0, 0.0),),
        _rates(0.02, 0.02, 0.1, 0.1, 0.2),
    ),
    "turned": Surface(
        "The same valley, turned",
        "Adam and RMSprop have a rate for each weight, and this valley runs along no weight.",
        _turned,
        r"\tfrac14 ((x + y)^2 + 40\, (x - y)^2)",
        (-3.2, 3.2, -2.2, 2.2),
        (-2.6, -1.4),
        ((0.0, 0.0),),
        _rates(0.02, 0.02, 0.5, 0.5, 0.2),
    ),
    "rosenbrock": Surface(
        "Banana",
        "Rosenbrock's function: it is easy to reach the bent valley, and slow to follow it.",
        _rosenbrock,
        r"(1 - x)^2 + 100\, (y - x^2)^2",
        (-2.0, 2.0, -0.8, 2.6),
        (-1.4, 2.2),
        ((1.0, 1.0),),
        _rates(0.001, 0.001, 0.01, 0.5, 0.2),
    ),
    "saddle": Surface(
        "Saddle",
        "Flat in the middle, but no minimum: it rises along x and falls along y. On the ridge itself the"
        " gradient never says which side to fall to; noise does.",
        _saddle,
        r"\tfrac12 x^2 - \tfrac12 y^2 + \tfrac18 y^4 + \tfrac12",
        (-2.4, 2.4, -2.0, 2.0),
        (-2.0, 0.001),
        ((0.0, 2**0.5), (0.0, -(2**0.5))),
        _rates(0.1, 0.5, 0.05, 1.0, 0.2),
    ),
    "four": Surface(
        "Four minima",
        "Himmelblau's function: which of the four equally low places is reached depends on the start"
        " and on the optimiser.",
        _four,
        r"(x^2 + y - 11)^2 + (x + y^2 - 7)^2",
        (-6.0, 6.0, -5.0, 5.0),
        (-0.5, -1.5),
        ((3.0, 2.0), (-2.805118, 3.131312), (-3.779310, -3.283186), (3.584428, -1.848127)),
        _rates(0.005, 0.005, 1.0, 0.1, 0.2),
    ),
}
