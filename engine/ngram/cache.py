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
        raise ValueError(
            f"the weight is 0 to 1 and fading above 0 up to 1; {weight} and {fade} were given"
        )
    return (
        (1 - weight) * p_V + weight * cache_distribution(recent, len(p_V), fade)
        if len(recent)
        else p_V
    )


def cache_probabilities(
    stream_T: np.ndarray, length: int | None = None, fade: float = 1.0
) -> np.ndarray:
    """(T - 1,) P_cache of each token of a stream but the first, from the `length` tokens before it
    (None: all).

    The first token of a stream is only ever <s>: it is not in the cache.  Row 0 is 0, as there the
    cache is empty.
    """
    ids_N = np.asarray(stream_T[1:], np.int64)
    n = len(ids_N)
    window = n if length is None else min(length, n)
    if not n or not window:
        return np.zeros(n)
    key_N = ids_N * (n + 1) + np.arange(n)  # token, then place
    key_N.sort()
    word_N, place_N = np.divmod(key_N, n + 1)
    mass_N = _faded(word_N, place_N, fade)  # of all occurrences up to this one
    before_N = np.arange(n) - 1
    # the last one too old
    oldest_N = np.searchsorted(key_N, word_N * (n + 1) + np.maximum(place_N - window, 0)) - 1
    own_N = _mass(word_N, place_N, mass_N, before_N, fade) - _mass(
        word_N, place_N, mass_N, oldest_N, fade
    )
    out_N = np.zeros(n)
    out_N[place_N] = own_N
    held_N = np.minimum(np.arange(n), window)
    all_N = held_N if fade == 1 else (1 - fade**held_N) / (1 - fade)
    return np.maximum(out_N, 0) / np.maximum(all_N, 1)


def mixed(p_T: np.ndarray, cache_T: np.ndarray, weight: float) -> np.ndarray:
    """(T,) probabilities of a stream with a share of the cache's; row 0, where the cache is empty,
    is the model's."""
    out_T = (1 - weight) * p_T + weight * cache_T
    out_T[:1] = p_T[:1]
    return out_T


def _faded(word_N: np.ndarray, place_N: np.ndarray, fade: float) -> np.ndarray:
    """(N,) per occurrence, in order of word and place: the sum of fade^distance over those of the
    same word up to it."""
    mass_N, reach = np.ones(len(word_N)), 1
    while reach < len(word_N):
        same_N = word_N[reach:] == word_N[:-reach]
        if not same_N.any():
            break
        distance_N = place_N[reach:] - place_N[:-reach]
        mass_N[reach:] = mass_N[reach:] + np.where(
            same_N, fade ** np.maximum(distance_N, 0.0) * mass_N[:-reach], 0
        )
        reach *= 2
    return mass_N


def _mass(
    word_N: np.ndarray, place_N: np.ndarray, mass_N: np.ndarray, at_N: np.ndarray, fade: float
) -> np.ndarray:
    """(N,) the mass that the occurrence `at`, with all before it, has one token before each; 0 if
    it is another word's."""
    same_N = (at_N >= 0) & (word_N[at_N] == word_N)
    age_N = np.maximum(place_N - place_N[at_N] - 1, 0.0)
    return np.where(same_N, fade**age_N * mass_N[at_N], 0)
