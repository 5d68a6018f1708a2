"""Interval: how far the mean of a few measurements, or a share of some cases, may be from what many would give.

What      of a mean: mean +- t s / sqrt(n), s their standard deviation with n - 1, t the quantile of
          Student's distribution
          of a share k / n: the shares p with |k/n - p| <= z sqrt(p (1 - p) / n)
Source    Student, The Probable Error of a Mean, 1908; Wilson, Probable Inference, the Law of
          Succession, and Statistical Inference, 1927
Shapes    n = measurements or cases
Differs   Of repeated trainings or drawings it is that of the training; what all of them are judged by is the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

SHARE, Z = 0.95, 1.959964


def of_mean(measured: Sequence[float] | np.ndarray) -> tuple[float, float, float]:
    """Mean, and the lower and upper end; of a single one no end is known (nan)."""
    from scipy.stats import t

    n, mean = len(measured), float(np.mean(measured))
    if n < 2:
        return mean, math.nan, math.nan
    wide = float(t.ppf((1 + SHARE) / 2, n - 1) * np.std(measured, ddof=1) / n**0.5)
    return mean, mean - wide, mean + wide


def of_share(hits: float, count: float) -> tuple[float, float]:
    """The ends; nan without any case."""
    if not count:
        return math.nan, math.nan
    share, more = hits / count, Z * Z / count
    middle = (share + more / 2) / (1 + more)
    half = Z / (1 + more) * math.sqrt(share * (1 - share) / count + more / (4 * count))
    return max(0.0, middle - half), min(1.0, middle + half)
