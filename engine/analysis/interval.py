"""Interval: how far the mean of a few measurements may be from what many would give.

What      mean +- t s / sqrt(n), s their standard deviation with n - 1, t the quantile of Student's distribution
Source    Student, The Probable Error of a Mean, 1908
Differs   It is that of repeated trainings or drawings; what all of them are judged by is the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

SHARE = 0.95


def of_mean(measured: Sequence[float] | np.ndarray) -> tuple[float, float, float]:
    """Mean, and the lower and upper end; of a single one no end is known (nan)."""
    from scipy.stats import t

    n, mean = len(measured), float(np.mean(measured))
    if n < 2:
        return mean, float("nan"), float("nan")
    wide = float(t.ppf((1 + SHARE) / 2, n - 1) * np.std(measured, ddof=1) / n**0.5)
    return mean, mean - wide, mean + wide
