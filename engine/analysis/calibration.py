"""Calibration: when a model is sure to 80 %, is it right in 80 of 100 cases?

What      confidence = the largest probability at a place; hit = whether that token came.  In bins
          of equal width:
          ECE = sum over bins of (n_bin / N) |share of hits in the bin - mean confidence in the bin|
          temperature: p^(1/T) / sum p^(1/T), with the T at which the truth is least surprising
Source    Guo, Pleiss, Sun & Weinberger, On Calibration of Modern Neural Networks, ICML 2017, sec.
          2, eq. 2 to 5;
          DeGroot & Fienberg, The Comparison and Evaluation of Forecasters, 1983 (reliability
          diagram)
Shapes    N = places, V = what can come at a place
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

BINS = 10
# natural logarithms of a temperature: its ends, and how fine it is found
HOT, FINE = (-3.0, 3.0), 1e-3


@dataclass(frozen=True, slots=True)
class Bin:
    """Confidences above `low` up to `high` (the first bin has 0 too): how many, their mean, and the
    share of hits among them."""

    low: float
    high: float
    count: int
    confidence: float
    hits: float


def reliability(confidence_N: np.ndarray, hit_N: np.ndarray, bins: int = BINS) -> list[Bin]:
    """The bins that hold something, from low to high."""
    which_N = np.clip(np.ceil(confidence_N * bins).astype(int) - 1, 0, bins - 1)
    found = []
    for b in range(bins):
        mine_N = which_N == b
        if count := int(mine_N.sum()):
            found.append(
                Bin(
                    b / bins,
                    (b + 1) / bins,
                    count,
                    float(confidence_N[mine_N].mean()),
                    float(hit_N[mine_N].mean()),
                )
            )
    return found


def calibration_error(bins: list[Bin]) -> float:
    """ECE, 0 to 1; nan where there is no place at all."""
    total = sum(b.count for b in bins)
    return (
        sum(b.count * abs(b.hits - b.confidence) for b in bins) / total if total else float("nan")
    )


def temper(log_NV: np.ndarray, temperature: float) -> np.ndarray:
    """Log-probabilities at this temperature."""
    scaled_NV = log_NV / temperature
    scaled_NV -= scaled_NV.max(-1, keepdims=True)
    found_NV: np.ndarray = scaled_NV - np.log(np.exp(scaled_NV).sum(-1, keepdims=True))
    return found_NV


def fit_temperature(log_NV: np.ndarray, true_N: np.ndarray) -> float:
    """Where the mean surprise of the truth is least: it is convex in 1 / T."""
    from scipy.optimize import minimize_scalar

    at_N = np.arange(len(true_N))

    def cost(log_t: float) -> float:
        return -float(temper(log_NV, math.exp(log_t))[at_N, true_N].mean())

    return math.exp(minimize_scalar(cost, bounds=HOT, options={"xatol": FINE}).x)
