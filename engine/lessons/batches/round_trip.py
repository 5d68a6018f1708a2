"""Round trip: a row of weights through a number format and back, each number with what became of it.

What      absmax: q = round(w / s), s = max |w| / 127, back w' = q s; int4 with 7 in place of 127, and of some smaller s
          the one that leaves the smallest squares, as engine/storage/quantised.py stores it
          NF4: w / max |w| becomes the nearest of 16 levels.  These are quantiles of the normal distribution, at equal
          steps of probability: 8 from d to 1/2, 9 from 1/2 to 1 - d, one 0 of the two, divided by the largest;
          d = (1/30 + 1/32) / 2
Source    Dettmers, Pagnoni, Holtzman & Zettlemoyer, QLoRA, 2023, sec. 3 and appendix E (the levels); Dettmers et al.,
          LLM.int8(), 2022, sec. 2 (absmax)
Shapes    N = numbers of the row, at most a block
Differs   Equation 4 of QLoRA takes means of neighbouring quantiles; the levels printed in appendix E are the
          quantiles themselves, as here.  The scales stay float32; QLoRA quantises them once more.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from statistics import NormalDist

import numpy as np

from engine.storage import quantised

BLOCK = 64  # numbers that share a scale in NF4
FORMATS = {"float16": 16, "int8": 8, "int4": 4, "NF4": 4}


@cache
def levels() -> np.ndarray:
    """(16,) from -1 to 1, the lowest first."""
    d, quantile = (1 / 30 + 1 / 32) / 2, NormalDist().inv_cdf
    below = [quantile(p) for p in np.linspace(d, 0.5, 8)[:-1].tolist()]
    above = [quantile(p) for p in np.linspace(0.5, 1 - d, 9).tolist()]
    found = np.array(below + above) / above[-1]
    found.setflags(write=False)
    return found


@dataclass(frozen=True, slots=True)
class Trip:
    """code_N: what is stored, whole numbers or numbers of levels; back_N: what is read; scale: what belongs to the
    row besides, 0 where nothing does."""

    code_N: np.ndarray
    back_N: np.ndarray
    scale: float


def trip(row_N: np.ndarray, numbers: str) -> Trip:
    """A row of finite float32 through one of `FORMATS`."""
    if numbers == "float16":
        half_N = row_N.astype(np.float16)
        return Trip(half_N, half_N.astype(np.float32), 0.0)
    if numbers == "NF4":
        scale = float(np.abs(row_N).max()) or 1.0
        code_N = np.abs(row_N[:, None] / scale - levels()).argmin(1)
        return Trip(code_N, (levels()[code_N] * scale).astype(np.float32), scale)
    most = quantised.most_of(FORMATS[numbers])
    cuts = quantised.CUTS if numbers != "int8" else quantised.CUTS[-1:]
    (s,), (code_N,) = quantised.rounded(row_N[None], most, cuts)
    return Trip(code_N, code_N * s, float(s))


def stairs(found: Trip, numbers: str) -> np.ndarray:
    """The numbers that there are with this scale, the lowest first; none of float16, which has too many."""
    if numbers == "float16":
        return np.zeros(0)
    most = quantised.most_of(FORMATS[numbers])
    return found.scale * (levels() if numbers == "NF4" else np.arange(-most, most + 1))
