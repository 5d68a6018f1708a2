"""Classic: forecasts without a net: the last number, the last season, an autoregressive model, exponential smoothing.

What      naive       x_{T+h} = x_T, variance h s^2
          seasonal    the number one season of m before; variance (floor((h - 1) / m) + 1) s^2
          AR(p)       x_t = c + sum of a_k x_{t-k}, by least squares; variance s^2 (1 + sum of psi_j^2)
          smoothing   l_t = a (x_t - s_{t-m}) + (1 - a)(l_{t-1} + b_{t-1}),
                      b_t = B (l_t - l_{t-1}) + (1 - B) b_{t-1}, s_t = g (x_t - l_t) + (1 - g) s_{t-m};
                      of a grid of weights those of the least n ln(squared errors of one step) + 2 for each above 0
Source    Hyndman & Athanasopoulos, Forecasting: Principles and Practice, 3rd ed., 2021, ch. 5, 8 and 9 (variances)
Shapes    N = numbers read, H = numbers foretold, Q = quantiles, P = order, G = settings tried
Differs   All fans are normal.  b is of the level alone, and s_t of the new level, which is Holt-Winters' other common
          form.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product

import numpy as np

from engine.lessons.series.nets import HORIZON, MIDDLE, QUANTILES

MOST_ORDER, MOST_SEASON = 12, 48
Z = np.array([-1.959964, -1.281552, -0.67449, 0.0, 0.67449, 1.281552, 1.959964])
GRID = tuple(
    product((0.02, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0), (0.0, 0.05, 0.2), (0.0, 0.1, 0.3, 0.6, 0.9))
)
assert len(Z) == len(QUANTILES)


@dataclass(frozen=True, eq=False)
class Forecast:
    """`quantile_QH`; `weights`: what was fitted, by name."""

    quantile_QH: np.ndarray
    weights: dict[str, float] = field(default_factory=dict)

    @property
    def middle_H(self) -> np.ndarray:
        return np.asarray(self.quantile_QH[MIDDLE])


def _normal(middle_H: np.ndarray, variance_H: np.ndarray, **weights: float) -> Forecast:
    return Forecast(middle_H + Z[:, None] * np.sqrt(variance_H), weights)


def season(x_N: np.ndarray) -> int:
    """The least lag, from 2 on, at which the changes are nearly as like themselves as at any; 1 where they are not
    more so than chance makes them."""
    step = np.diff(x_N)
    n, most = len(step), min(MOST_SEASON, len(x_N) // 3)
    step = step - step.mean() if n else step
    total = float(step @ step)
    if total < 1e-12 * (1 + float(np.abs(x_N).max(initial=0)) ** 2) or most < 2:
        return 1
    lags = np.arange(1, most + 2)
    alike = np.array([step[k:] @ step[: n - k] / total * n / (n - k) for k in lags])
    peak = (alike[1:-1] > alike[:-2]) & (alike[1:-1] > alike[2:])
    sure = peak & (alike[1:-1] > np.clip(2.8 / np.sqrt(n - lags[1:-1]), 0.25, 0.8))
    if not sure.any():
        return 1
    return int(np.flatnonzero(sure & (alike[1:-1] > 0.8 * alike[1:-1][sure].max()))[0]) + 2


def naive(x_N: np.ndarray, horizon: int = HORIZON) -> Forecast:
    ahead = np.arange(1, horizon + 1)
    return _normal(np.full(horizon, x_N[-1]), ahead * np.mean(np.diff(x_N) ** 2))


def seasonal(x_N: np.ndarray, m: int, horizon: int = HORIZON) -> Forecast:
    if m < 2 or len(x_N) < m + 2:
        return naive(x_N, horizon)
    ahead = np.arange(horizon)
    return _normal(
        x_N[-m + ahead % m], (ahead // m + 1) * np.mean((x_N[m:] - x_N[:-m]) ** 2), season=m
    )


def lagged(x_N: np.ndarray, order: int) -> np.ndarray:
    """(N - P, P + 1): a one, and the P numbers before, the nearest first."""
    rows = [np.ones(len(x_N) - order)]
    rows += [x_N[order - k : len(x_N) - k] for k in range(1, order + 1)]
    return np.stack(rows, 1)


def autoregressive(x_N: np.ndarray, order: int = 0, horizon: int = HORIZON) -> Forecast:
    """`order` 0: the one of the least AICc up to MOST_ORDER."""
    most = min(MOST_ORDER, (len(x_N) - 1) // 2 if order else (len(x_N) - 2) // 3)
    if most < 1 or np.ptp(x_N) == 0:
        return naive(x_N, horizon)
    scale = float(np.abs(x_N).max())
    orders = range(1, most + 1) if not order else (min(order, most),)
    found = [(*_fit(x_N / scale, p, most if not order else p), p) for p in orders]
    _score, weight, variance, p = min(found, key=lambda one: one[0])
    ahead, last = [], [*x_N[-p:] / scale]
    for _h in range(horizon):
        ahead.append(weight[0] + float(weight[1:] @ np.array(last[: -p - 1 : -1])))
        last.append(float(np.clip(ahead[-1], -1e6, 1e6)))
    psi = [1.0]
    for h in range(1, horizon):
        psi.append(
            float(np.clip(sum(weight[k] * psi[h - k] for k in range(1, min(p, h) + 1)), -1e3, 1e3))
        )
    named = {"order": p, "c": float(weight[0] * scale)} | {
        f"a{k}": float(weight[k]) for k in range(1, p + 1)
    }
    middle = np.clip(ahead, -1e6, 1e6) * scale
    return _normal(middle, scale**2 * variance * np.cumsum(np.square(psi)), **named)


def _fit(x_N: np.ndarray, p: int, skip: int) -> tuple[float, np.ndarray, float]:
    """(AICc, weights, variance), of the numbers behind the first `skip`."""
    rows, true = lagged(x_N, p)[skip - p :], x_N[skip:]
    weight = np.linalg.lstsq(rows, true, rcond=None)[0]
    error = float(np.sum((true - rows @ weight) ** 2))
    n, k = len(true), p + 2
    score = n * np.log(max(error / n, 1e-18)) + 2 * k + 2 * k * (k + 1) / max(n - k - 1, 1)
    return score, weight, error / max(n - p - 1, 1)


def smoothing(x_N: np.ndarray, m: int = 1, horizon: int = HORIZON) -> Forecast:
    """With a season of m, where two of them were read; else a level and a trend."""
    m = m if 2 <= m <= len(x_N) // 2 else 1
    grid = np.array([one for one in GRID if m > 1 or one[2] == 0.0])
    a, b, g = grid.T
    level, trend, around = _begin(x_N, m, len(grid))
    error = np.zeros(len(grid))
    for t in range(m, len(x_N)):
        s = around[t % m]
        miss = x_N[t] - (level + trend + s)
        error += miss * miss
        level = level + trend + a * miss
        trend = trend + a * b * miss
        around[t % m] = s + g * (1 - a) * miss
    ahead, n = np.arange(1, horizon + 1), len(x_N)
    k = int((n * np.log(error + 1e-12) + 2 * ((b > 0) + (g > 0))).argmin())
    middle = level[k] + ahead * trend[k] + around[(n - 1 + ahead) % m, k]
    c = a[k] * (1 + ahead * b[k]) + (g[k] * (1 - a[k])) * (ahead % m == 0) * (m > 1)
    variance = error[k] / max(n - m - 2, 1) * (1 + np.concatenate(([0], np.cumsum(c[:-1] ** 2))))
    named = {"level": float(a[k]), "trend": float(b[k])} | (
        {"season": m, "around": float(g[k])} if m > 1 else {}
    )
    return _normal(middle, variance, **named)


def _begin(x_N: np.ndarray, m: int, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Level and trend (G,) and season (m, G), before the first number that is foretold."""
    if m == 1:
        return np.full(count, x_N[0]), np.zeros(count), np.zeros((1, count))
    whole = len(x_N) // m
    mean_S = x_N[: whole * m].reshape(whole, m).mean(1)
    slope = (mean_S[-1] - mean_S[0]) / ((whole - 1) * m)
    flat = x_N[: whole * m] - slope * np.arange(whole * m)
    around = flat.reshape(whole, m).mean(0)
    around = np.repeat((around - around.mean())[:, None], count, 1)
    return np.full(count, mean_S[0] + slope * (m - 1) / 2), np.full(count, slope), around
