"""Window: how far back an autoregressive model has to look where one number, carried along, is enough.

What      a level moves by steps of deviation `drift` and is seen through noise of deviation 1; smoothing carries
          l_t = a x_t + (1 - a) l_{t-1}, which is sum of a (1 - a)^k x_{t-k}; AR(p) sees p numbers, weights by least
          squares.  Learned on LEARNED numbers, judged on as many others, one step ahead
Source    Muth, Optimal Properties of Exponentially Weighted Forecasts, 1960 (the best a)
Shapes    P = orders
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.lessons.series.classic import lagged

LEARNED, MOST, NEAR = 20_000, 40, 0.01


@dataclass(frozen=True, eq=False)
class Compared:
    """Mean squared errors of AR(1) ... AR(MOST) and of smoothing, its weight, and the weights of AR(MOST)."""

    error_P: np.ndarray
    smoothed: float
    weight: float
    lag_P: np.ndarray

    @property
    def enough(self) -> int:
        """The least order whose error is within NEAR of that of smoothing; 0: none."""
        near = np.flatnonzero(self.error_P <= (1 + NEAR) * self.smoothed)
        return int(near[0]) + 1 if len(near) else 0


def best(drift: float) -> float:
    """The weight with the least expected squared error."""
    square = drift**2
    return float((np.sqrt(square**2 + 4 * square) - square) / 2)


def smooth(x_N: np.ndarray, weight: float) -> np.ndarray:
    """What is foretold of each number by those before it, from the first one on."""
    from scipy.signal import lfilter

    level = lfilter([weight], [1, weight - 1], x_N, zi=[(1 - weight) * x_N[0]])[0]
    return np.concatenate((x_N[:1], level[:-1]))


def compare(drift: float, seed: int) -> Compared:
    rng = np.random.default_rng((4, seed))
    x_N = drift * rng.normal(size=2 * LEARNED).cumsum() + rng.normal(size=2 * LEARNED)
    learn, test = x_N[:LEARNED], x_N[LEARNED:]
    weights = np.linspace(0.01, 0.99, 99)
    a = float(
        weights[np.argmin([np.mean((learn - smooth(learn, w))[MOST:] ** 2) for w in weights])]
    )
    rows, true = lagged(learn, MOST), learn[MOST:]
    asked, wanted = lagged(test, MOST), test[MOST:]
    square, mixed = rows.T @ rows, rows.T @ true
    error, weight = [], np.zeros(0)
    for p in range(1, MOST + 1):
        weight = np.linalg.solve(square[: p + 1, : p + 1], mixed[: p + 1])
        error.append(float(np.mean((wanted - asked[:, : p + 1] @ weight) ** 2)))
    smoothed = float(np.mean((test - smooth(test, a))[MOST:] ** 2))
    return Compared(np.array(error), smoothed, a, weight[1:])
