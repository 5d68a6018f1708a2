"""Repeats: how much of a text says again what it said before.

What      share = 1 - different n-grams / n-grams (seq-rep-n)
Source    Welleck et al., Neural Text Generation with Unlikelihood Training, 2020, sec. 6.1 (n = 4)
Shapes    T = tokens
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def repeated(ids: Sequence[int], n: int = 4) -> tuple[float, np.ndarray]:
    """(share of the n-grams that occurred before, which tokens stand in one (T,) bool); NaN where
    there is no n-gram."""
    grams = [tuple(ids[i : i + n]) for i in range(len(ids) - n + 1)]
    again_T, met = np.zeros(len(ids), bool), set()
    for i, gram in enumerate(grams):
        if gram in met:
            again_T[i : i + n] = True
        met.add(gram)
    return (1 - len(met) / len(grams) if grams else float("nan")), again_T
