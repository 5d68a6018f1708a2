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
    """of       the loss at x and y
    formula  the same in LaTeX
    box      (least x, most x, least y, most y) that is drawn
    start    where a race begins
    lowest   where the loss is lowest
    best     the best rates of SGD, the same with momentum, RMSprop, Adam and Muon
    """

    title: str
    says: str
    of: Callable[[Tensor, Tensor], Tensor]
    formula: str
    box: tuple[float, float, float, float]
    start: tuple[float, float]
    lowest: tuple[tuple[float, float], ...]
    best: tuple[float, float, float, float, float]

    def loss(self, w: Tensor) -> Tensor:
        """Of w (..., 2)."""
        return self.of(w[..., 0], w[..., 1])

    @property
    def rates(self) -> dict[str, float]:
        """Of each optimiser (race.py) the one of race.RATES that ends lowest from `start`."""
        sgd, momentum, rmsprop, adam, muon = self.best
        same = {"adam": adam, "adamw": adam}
        return {"plain": sgd, "sgd": momentum, "rmsprop": rmsprop, **same, "muon": muon}

    def grid(self) -> np.ndarray:
        """The loss at the middle of each cell (ROWS, COLUMNS) of the box, the top row first."""
        left, right, bottom, top = self.box
        x = left + (right - left) * (np.arange(COLUMNS) + 0.5) / COLUMNS
        y = top - (top - bottom) * (np.arange(ROWS) + 0.5) / ROWS
        w = torch.from_numpy(np.stack(np.meshgrid(x, y), -1))
        found: np.ndarray = self.loss(w).numpy()
        return found


SURFACES: Mapping[str, Surface] = {
    "valley": Surface(
        "Long valley",
        "Forty times as steep across as along. One rate for both directions is too long for the one"
        " or too short for the other.",
        lambda x, y: 0.5 * x**2 + 20 * y**2,
        r"\tfrac12 (x^2 + 40\, y^2)",
        (-3.2, 3.2, -1.4, 1.4),
        (-2.8, 1.0),
        ((0.0, 0.0),),
        (0.02, 0.02, 0.1, 0.1, 0.2),
    ),
    "turned": Surface(
        "The same valley, turned",
        "Adam and RMSprop have a rate for each weight, and this valley runs along no weight.",
        lambda x, y: 0.25 * (x + y) ** 2 + 10 * (x - y) ** 2,
        r"\tfrac14 ((x + y)^2 + 40\, (x - y)^2)",
        (-3.2, 3.2, -2.2, 2.2),
        (-2.6, -1.4),
        ((0.0, 0.0),),
        (0.02, 0.02, 0.5, 0.5, 0.2),
    ),
    "rosenbrock": Surface(
        "Banana",
        "Rosenbrock's function: it is easy to reach the bent valley, and slow to follow it.",
        lambda x, y: (1 - x) ** 2 + 100 * (y - x**2) ** 2,
        r"(1 - x)^2 + 100\, (y - x^2)^2",
        (-2.0, 2.0, -0.8, 2.6),
        (-1.4, 2.2),
        ((1.0, 1.0),),
        (0.001, 0.001, 0.01, 0.5, 0.2),
    ),
    "saddle": Surface(
        "Saddle",
        "Flat in the middle, but no minimum: it rises along x and falls along y. On the ridge itself the"
        " gradient never says which side to fall to; noise does.",
        lambda x, y: 0.5 * x**2 - 0.5 * y**2 + 0.125 * y**4 + 0.5,
        r"\tfrac12 x^2 - \tfrac12 y^2 + \tfrac18 y^4 + \tfrac12",
        (-2.4, 2.4, -2.0, 2.0),
        (-2.0, 0.001),
        ((0.0, 2**0.5), (0.0, -(2**0.5))),
        (0.1, 0.5, 0.05, 1.0, 0.2),
    ),
    "four": Surface(
        "Four minima",
        "Himmelblau's function: which of the four equally low places is reached depends on the start"
        " and on the optimiser.",
        lambda x, y: (x**2 + y - 11) ** 2 + (x + y**2 - 7) ** 2,
        r"(x^2 + y - 11)^2 + (x + y^2 - 7)^2",
        (-6.0, 6.0, -5.0, 5.0),
        (-0.5, -1.5),
        ((3.0, 2.0), (-2.805118, 3.131312), (-3.779310, -3.283186), (3.584428, -1.848127)),
        (0.005, 0.005, 1.0, 0.1, 0.2),
    ),
}
