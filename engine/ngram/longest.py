"""Variable length: predict from the longest context that was seen often enough, and from it alone.

What      of the last n - 1, n - 2, ..., 0 tokens the first context h with c(h) >= c; P(w | h) =
          c(hw) / c(h)
Source    Ron, Singer & Tishby, The Power of Amnesia: Learning Probabilistic Automata with Variable
          Memory Length, Machine Learning 25, 1996; Liu, Min, Zettlemoyer, Choi & Hajishirzi,
          Infini-gram, COLM 2024 (c = 1)
Shapes    T = tokens, V = token ids, M = orders 0 (the empty context) to n
Differs   c(h) counts h as a context, that is, wherever something follows it.  Nothing is smoothed:
          what never followed the context has probability 0; `shortened` gives the places with which
          a smoothed model does the same.  The longest n-gram that ends in a token, itself included,
          is `Smoothed.matched`.
"""

from __future__ import annotations

import numpy as np

from engine.ngram.counts import Counts


def occurrences(counts: Counts, place_TM: np.ndarray) -> np.ndarray:
    """(T, n) how often the last 0 to n - 1 tokens were counted as a context; 0 where never."""
    out_Tn = np.zeros((len(place_TM), len(counts.orders)), np.int64)
    for m, grams in enumerate(counts.orders):
        place_T = place_TM[:, m]
        if len(grams.total_P):
            out_Tn[:, m] = np.where(place_T >= 0, grams.total_P[place_T], 0)
    return out_Tn


def context_length(counts: Counts, place_TM: np.ndarray, least: int = 1) -> np.ndarray:
    """(T,) tokens in the longest context with at least `least` occurrences; 0 is the empty one."""
    enough_Tn = occurrences(counts, place_TM) >= max(1, least)
    enough_Tn[:, 0] = True
    length_T: np.ndarray = (enough_Tn * np.arange(enough_Tn.shape[1])).max(1)
    return length_T


def distributions(
    counts: Counts, place_TM: np.ndarray, least: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """((T, V) float64 distribution of the token after each token, (T,) length of the context it is
    from)."""
    length_T = context_length(counts, place_TM, least)
    p_TV = np.zeros((len(place_TM), counts.size))
    for p_V, place_M, length in zip(p_TV, place_TM.tolist(), length_T.tolist(), strict=True):
        grams = counts.orders[length]
        a, b = grams.first_P[place_M[length] : place_M[length] + 2].tolist()
        p_V[grams.word_G[a:b]] = grams.count_G[a:b] / max(1, int(grams.total_P[place_M[length]]))
    return p_TV, length_T


def probabilities(
    counts: Counts, stream_T: np.ndarray, least: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """((T - 1,) probability of each token of a stream but the first, (T - 1,) length of the context
    it is from)."""
    place_TM = counts.places(stream_T)
    length_T = context_length(counts, place_TM[:-1], least)
    p_T = np.zeros(len(length_T))
    for m, grams in enumerate(counts.orders):
        here = np.flatnonzero(length_T == m)
        if len(here) and len(grams):
            at, context = place_TM[here + 1, m + 1], place_TM[here, m]
            p_T[here] = np.where(
                at >= 0, grams.count_G[at] / np.maximum(grams.total_P[context], 1), 0
            )
    return p_T, length_T


def shortened(counts: Counts, place_TM: np.ndarray, least: int = 1) -> np.ndarray:
    """(T, M) the same places, without contexts that occurred less often: `Smoothed.distributions`
    then skips them."""
    short_TM = place_TM.copy()
    beyond_TM = np.arange(place_TM.shape[1]) > context_length(counts, place_TM, least)[:, None]
    short_TM[beyond_TM] = -1
    return short_TM
