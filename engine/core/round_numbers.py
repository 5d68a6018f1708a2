"""Round numbers: the next of 1, 2 or 5 times a power of ten, where a scale may end."""

from __future__ import annotations

import math

import numpy as np

LEAST = 1e-3
SLACK = 0.999  # what is a thousandth above a round number still counts as within


def round_up(most: float) -> float:
    """1, 2 or 5 times a power of ten, at least `most`, and at least LEAST."""
    step = 10.0 ** math.floor(math.log10(max(most, LEAST)))
    return step * min(n for n in (1, 2, 5, 10) if n * step >= most * SLACK)


def reach(values: np.ndarray, share: float) -> float:
    """What `share` of the finite numbers keep within, on both sides of 0, made round; 1 where none
    is finite."""
    finite = np.abs(values[np.isfinite(values)])
    return round_up(float(np.quantile(finite, share))) if finite.size else 1.0
