"""Variable length: predict from the longest context that was seen often enough, and from it alone.

What      of the last n - 1, n - 2, ..., 0 tokens the first context h with c(h) >= c; P(w | h) =
          c(hw) / c(h)
Source    Ron, Singer & Tishby, The Power of Amnesia: Learning Probabilistic Automata with Variable
          Memory Length, Machine Learning 25, 1996; Liu, Min, Zettlemoyer, Choi & Hajishirzi,
          Infini-gram, COLM 2024 (c = 1)
Shapes    T = tokens, V = token ids, M = orders 0 (the empty context) to n
Differs   c(h) counts h as a context, that is, wherever something follows it.  Nothing is smoothed:
          what never followed the context has probability 0.  The longest n-gram that ends in a
          token, itself included, is `Smoothed.matched`.
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
