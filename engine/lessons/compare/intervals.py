"""Intervals: how far a measured number could have come out otherwise, had other lines of the same
kind been measured.

What      bootstrap: draw as many lines as there are, with repetition, many times; the middle 95 %
          of the numbers so found is the interval.  A difference of two models is taken in every
          draw over the same lines (paired), so that lines that are hard for both do not count as
          doubt
Source    Efron & Tibshirani, An Introduction to the Bootstrap, 1993, ch. 13 (percentile interval);
          paired over the same items: Koehn, Statistical Significance Tests for Machine Translation
          Evaluation, EMNLP 2004, sec. 4
Shapes    L = lines, M = models, B = draws
Differs   Bits per character is a ratio of sums: each draw divides its own sums.  Of fewer than two
          lines nothing can be said.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

DRAWS, SHARE = 2000, 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """The number measured, and the ends of its interval; nan where nothing can be said of them."""

    value: float
    low: float
    high: float

    @property
    def half(self) -> float:
        """Half the width: what stands behind ±."""
        return (self.high - self.low) / 2

    @property
    def sure(self) -> bool:
        """Whether 0 lies outside."""
        return bool(self.low > 0 or self.high < 0)


def draws(bits_LM: np.ndarray, size_L: np.ndarray, seed: int = 0, count: int = DRAWS) -> np.ndarray:
    """(B, M): bits per unit of size in each draw of lines, the same lines for every model."""
    lines = len(size_L)
    times_BL = (
        np.random.default_rng(seed)
        .multinomial(lines, np.full(lines, 1 / lines), size=count)
        .astype(np.float64)
    )
    found_BM: np.ndarray = (times_BL @ bits_LM) / (times_BL @ size_L)[:, None]
    return found_BM


def interval(value: float, draws_B: np.ndarray) -> Interval:
    if not np.isfinite(value) or not np.isfinite(draws_B).all():
        return Interval(value, float("nan"), float("nan"))
    low, high = np.quantile(draws_B, [(1 - SHARE) / 2, (1 + SHARE) / 2])
    return Interval(value, float(low), float(high))


def intervals(
    bits_LM: np.ndarray, size_L: np.ndarray, seed: int = 0
) -> tuple[list[Interval], dict[tuple[int, int], Interval]]:
    """(per model, per pair (a, b) how many bits per unit a needs less than b: above 0, a is
    better).  An impossible line has infinite bits."""
    models = bits_LM.shape[1]
    value_M = bits_LM.sum(0) / size_L.sum()
    possible = np.isfinite(bits_LM).all(0)
    found_BM = (
        draws(np.where(possible, bits_LM, 0.0), size_L, seed)
        if len(size_L) > 1
        else np.full((1, models), np.nan)
    )
    found_BM[:, ~possible] = np.nan
    each = [interval(float(value_M[m]), found_BM[:, m]) for m in range(models)]
    with np.errstate(invalid="ignore"):
        pairs = {
            (a, b): interval(float(value_M[b] - value_M[a]), found_BM[:, b] - found_BM[:, a])
            for a in range(models)
            for b in range(models)
            if a < b
        }
    return each, pairs
