"""Coverage: how often each word of a source has been looked at when a translation is written.

What      c_s = sum_t a_ts; below 1 a word may have been left out, far above 1 it may be translated
          twice
          penalty of a text = beta sum_s ln min(c_s, 1), added to its score: 0 where each word was
          attended to at least once in all
          loss of a step = sum_s min(a_ts, c_t-1,s), what is looked at again
Source    Tu et al., Modeling Coverage for Neural Machine Translation, 2016 (coverage); Wu et al.,
          Google's Neural Machine Translation System, 2016, eq. 14 (penalty); See, Liu & Manning, Get
          To The Point, 2017, eq. 12 (loss)
Shapes    T = steps, S = source tokens
"""

from __future__ import annotations

import numpy as np

LEAST = 1e-10  # what a word that no step looks at counts as, so that its logarithm is finite


def sums(look_TS: np.ndarray) -> np.ndarray:
    """c (S,)."""
    found: np.ndarray = np.asarray(look_TS, np.float64).sum(0)
    return found


def penalty(look_TS: np.ndarray, beta: float = 1.0) -> float:
    """In nats, 0 or less."""
    return beta * float(np.log(np.clip(sums(look_TS), LEAST, 1.0)).sum())


def again(look_TS: np.ndarray) -> np.ndarray:
    """Loss (T,) of each step; 0 at the first."""
    before_TS = np.cumsum(look_TS, 0) - look_TS
    found: np.ndarray = np.minimum(look_TS, before_TS).sum(1)
    return found
