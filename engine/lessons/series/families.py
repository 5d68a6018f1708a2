"""Families: series made by known rules, of which the nets learn and on which all methods are judged.

What      each family is a rule with chance in it; which series it makes depends on the seed alone.  `real` are
          weekly prices that come with Plotly
Source    load with heating below a temperature: Taylor & McSharry, Short-Term Load Forecasting Methods, 2007
Shapes    N = numbers of a series, B = series
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

Rng = np.random.Generator
WARM = 18.0  # degrees, below which there is heating


def _cycle(rng: Rng, n: int, period: float, harmonics: int) -> np.ndarray:
    t, found = np.arange(n) + rng.uniform(0, period), np.zeros(n)
    for k in range(1, harmonics + 1):
        found += rng.normal() / k * np.sin(2 * np.pi * k * t / period + rng.uniform(0, 2 * np.pi))
    return found / max(found.std(), 1e-3)


def autoregressive(rng: Rng, n: int, weights: tuple[float, ...]) -> np.ndarray:
    """x_t = sum of a_k x_{t-k} + chance, behind 50 steps that are left out."""
    from scipy.signal import lfilter

    return np.asarray(lfilter([1.0], [1.0, *(-a for a in weights)], rng.normal(size=n + 50))[50:])


def seasonal(rng: Rng, n: int) -> np.ndarray:
    shape = _cycle(rng, n, float(rng.choice([4, 6, 7, 12, 24])), int(rng.integers(1, 4)))
    part = np.arange(n) / n
    if rng.random() < 0.3:  # the swings grow
        shape *= 0.5 + rng.uniform(0, 2) * part
    trend = 2.5 * rng.normal() * part * (rng.random() < 0.6)
    return shape + trend + rng.uniform(0.02, 0.6) * rng.normal(size=n)


def sine(rng: Rng, n: int) -> np.ndarray:
    return _cycle(rng, n, rng.uniform(6, 40), 1) + rng.uniform(0, 0.5) * rng.normal(size=n)


def walk(rng: Rng, n: int) -> np.ndarray:
    """Prices: each step is chance."""
    return 100 * np.exp(0.02 * rng.normal(size=n).cumsum())


def level(rng: Rng, n: int) -> np.ndarray:
    """A level that drifts a little, seen through noise: what exponential smoothing is made for."""
    return rng.uniform(0.05, 0.4) * rng.normal(size=n).cumsum() + rng.normal(size=n)


def shocks(rng: Rng, n: int) -> np.ndarray:
    """Two earlier values weigh on each, in a stable way."""
    radius, angle = rng.uniform(0.3, 0.95), rng.uniform(0, np.pi)
    return autoregressive(rng, n, (2 * radius * np.cos(angle), -(radius**2)))


def smooth(rng: Rng, n: int) -> np.ndarray:
    """As a hand draws: chance, smoothed."""
    from scipy.ndimage import gaussian_filter1d

    found = gaussian_filter1d(rng.normal(size=n + 80), rng.uniform(2, 10))[40:-40]
    return found / found.std() + rng.uniform(0, 0.1) * rng.normal(size=n)


def jumps(rng: Rng, n: int) -> np.ndarray:
    return (4 * rng.normal(size=n) * (rng.random(n) < 0.03)).cumsum() + rng.normal(size=n) * 0.5


def rain(rng: Rng, n: int) -> np.ndarray:
    """Dry and wet days that tend to stay; on a wet one millimetres by a gamma distribution."""
    wet, found = False, np.zeros(n)
    for t in range(n):
        wet = rng.random() < (0.7 if wet else 0.25)
        found[t] = rng.gamma(0.8, 6.0) if wet else 0.0
    return found


def pulse(rng: Rng, n: int) -> np.ndarray:
    """Heart rate by the hour: a daily cycle, and what comes back to it slowly."""
    day = 6 * np.sin(2 * np.pi * (np.arange(n) + rng.uniform(0, 24)) / 24)
    return 72 + day + 1.5 * autoregressive(rng, n, (0.8,)) + rng.normal(size=n)


def weather(rng: Rng, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Load by the hour and the temperature, whose fronts last for days; below WARM there is heating."""
    hour = np.arange(n) + rng.integers(24)
    day = 2 * np.pi * hour / 24
    degrees = 9 + 4 * np.sin(day - 2.2) + 1.1 * autoregressive(rng, n, (0.97,))
    use = 60 + 9 * np.sin(day - 1.8) + 4 * np.sin(2 * day - 0.6)
    return use + 1.6 * np.maximum(0, WARM - degrees) + 1.2 * rng.normal(size=n), degrees


def load(rng: Rng, n: int) -> np.ndarray:
    return weather(rng, n)[0]


MADE: Mapping[str, Callable[[Rng, int], np.ndarray]] = {
    "load": load,
    "sine": sine,
    "walk": walk,
    "pulse": pulse,
    "rain": rain,
    "level": level,
    "seasonal": seasonal,
    "shocks": shocks,
    "smooth": smooth,
    "jumps": jumps,
}
CALLED = {
    "load": "Load by the hour",
    "sine": "Sine with noise",
    "walk": "Random walk (prices)",
    "pulse": "Heart rate",
    "rain": "Rain by the day",
    "level": "A drifting level",
    "seasonal": "Seasons and trend",
    "shocks": "Two earlier values",
    "smooth": "A smooth curve",
    "jumps": "Jumps",
}


def make(name: str, seed: int, n: int) -> np.ndarray:
    return MADE[name](np.random.default_rng((seed, [*MADE].index(name))), n)


def make_many(name: str, seed: int, count: int, n: int) -> np.ndarray:
    """(B, N)"""
    return np.stack([make(name, seed + b, n) for b in range(count)])


def real(name: str = "GOOG") -> np.ndarray:
    """Weekly prices of 2018 and 2019, as shares of the first (Plotly's table of stocks)."""
    from plotly import data

    return np.asarray(data.stocks()[name], float)
