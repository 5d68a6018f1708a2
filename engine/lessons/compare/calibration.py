"""Calibration: when a model is sure to 80 %, is it right in 80 of 100 cases?

What      confidence = the largest probability at a place; hit = whether that token came.  In bins
          of equal width:
          ECE = sum over bins of (n_bin / N) |share of hits in the bin - mean confidence in the bin|
Source    Guo, Pleiss, Sun & Weinberger, On Calibration of Modern Neural Networks, ICML 2017, sec.
          2, eq. 2 to 5;
          DeGroot & Fienberg, The Comparison and Evaluation of Forecasters, 1983 (reliability
          diagram)
Shapes    N = places
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

BINS = 10


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
