"""Cache: what was said a moment ago is likely to be said again, so recent tokens get a share of the
probability.

What      (1 - w) P(x | h) + w P_cache(x); P_cache(x) = the share of x among the last L tokens; with
          fading, a token of
          age a (1 is the last one) counts f^(a - 1) instead of 1
Source    Kuhn & De Mori, A Cache-Based Natural Language Model for Speech Recognition, IEEE PAMI 12,
          1990; fading: Clarkson & Robinson, Language Model Adaptation Using Mixtures and an
          Exponentially Decaying Cache, ICASSP 1997
Shapes    T = tokens of a text, V = token ids
Differs   One cache of tokens, not one per part of speech.  An empty cache changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.language.message import refusal


def cache_distribution(
    recent: Sequence[int] | np.ndarray, size: int, fade: float = 1.0
) -> np.ndarray:
    """(V,) P_cache of tokens, the latest last; all 0 for none."""
    ids = np.asarray(recent, np.int64)
    if not len(ids):
        return np.zeros(size)
    weight = fade ** np.arange(len(ids) - 1, -1, -1.0)
    return np.bincount(ids, weight, minlength=size) / weight.sum()


def with_cache(
    p_V: np.ndarray, recent: Sequence[int] | np.ndarray, weight: float, fade: float = 1.0
) -> np.ndarray:
    """(V,) a distribution with a share `weight` of the cache's."""
    if not 0 <= weight <= 1 or not 0 < fade <= 1:
        raise refusal(
            "the weight is 0 to 1 and fading above 0 up to 1; {weight} and {fade} were given"
        )
    return (
        (1 - weight) * p_V + weight * cache_distribution(recent, len(p_V), fade)
        if len(recent)
        else p_V
    )
