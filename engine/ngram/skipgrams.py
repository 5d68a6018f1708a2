"""Skip-grams in the n-gram sense: pairs of tokens of a sentence with some left out between them.

What      P_skip(w | v) at distance d: the share of w among the tokens that stand d places after v
Source    Guthrie, Allison, Liu, Guthrie & Wilks, A Closer Look at Skip-gram Modelling, LREC 2006
Shapes    N = tokens of a stream, V = token ids
Differs   The skip-gram model of word2vec (engine/models/skipgram.py) shares the name: it learns
          vectors that predict the neighbours of a word.  Here pairs are counted.  With up to k
          tokens left out, distances run from 1 to k + 1.
"""

from __future__ import annotations

import numpy as np


def at_distance(
    stream_N: np.ndarray, word: int, distance: int, size: int, boundary: int
) -> np.ndarray:
    """(V,) how often each token stands `distance` places after a word, in the same sentence."""
    sentence_N = np.cumsum(stream_N == boundary)
    first = stream_N[:-distance] == word
    within = (sentence_N[:-distance] == sentence_N[distance:]) & (word != boundary)
    return np.bincount(stream_N[distance:][first & within], minlength=size)
