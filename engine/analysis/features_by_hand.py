"""Features by hand: what a person computes of a series, so that a net without a memory sees something of its past.

What      lag x_t-k; difference x_t - x_t-1; rolling mean (x_t-k+1 + ... + x_t) / k; Fourier coefficients
          X_f = x_0 e^(-2 pi i f 0 / T) + ... + x_T-1 e^(-2 pi i f (T-1) / T)
Source    Box & Jenkins, Time Series Analysis, 1970 (lags, differences); Cooley & Tukey, An Algorithm for the Machine
          Calculation of Complex Fourier Series, 1965
Shapes    T = values of the series, F = T // 2 + 1 frequencies
Differs   A feature that needs values before the first one is nan, not padded.  The coefficients are summed as written:
          a series here has few values, and each term is shown.
"""

from __future__ import annotations

import re

import numpy as np

MOST, LARGEST = 60, 1e6
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def read(typed: str) -> np.ndarray:
    """(T): the numbers in a line, at most MOST, each between -LARGEST and LARGEST."""
    found = [float(n) for n in NUMBER.findall(typed.replace("−", "-"))[:MOST]]
    return np.clip(np.array(found, float), -LARGEST, LARGEST)


def lag(x_T: np.ndarray, k: int) -> np.ndarray:
    """(T): the value k steps before, k from 1."""
    made_T = np.full(len(x_T), np.nan)
    made_T[k:] = x_T[: max(0, len(x_T) - k)]
    return made_T


def difference(x_T: np.ndarray) -> np.ndarray:
    """(T)"""
    made: np.ndarray = x_T - lag(x_T, 1)
    return made


def rolling_mean(x_T: np.ndarray, k: int) -> np.ndarray:
    """(T): the mean of a value and the k - 1 before it."""
    made_T = np.full(len(x_T), np.nan)
    for t in range(k - 1, len(x_T)):
        made_T[t] = x_T[t - k + 1 : t + 1].mean()
    return made_T


def fourier_terms(x_T: np.ndarray, f: int) -> np.ndarray:
    """(T) complex: what each value adds to the coefficient of the wave that fits f times into the series."""
    t_T = np.arange(len(x_T))
    made: np.ndarray = x_T * np.exp(-2j * np.pi * f * t_T / len(x_T))
    return made


def fourier(x_T: np.ndarray) -> np.ndarray:
    """(F) complex; the first is the sum of the series."""
    return np.array([fourier_terms(x_T, f).sum() for f in range(len(x_T) // 2 + 1)])
