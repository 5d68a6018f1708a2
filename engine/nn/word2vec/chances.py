"""Chances of word2vec: which occurrences of a word are read, and which words are drawn as noise.

What      keep(w) = min(1, sqrt(t / f) + t / f), f the share of w in the text;  noise(w) =
          count(w)^0.75 / sum of all
Source    Mikolov, Sutskever, Chen, Corrado & Dean, Distributed Representations of Words and
          Phrases, 2013, sec. 2.2-2.3
Shapes    V = vocabulary
Differs   The paper's formula for keeping is sqrt(t / f) alone; its authors' program adds t / f, and
          so do we and gensim.
"""

from __future__ import annotations

import numpy as np


def keep_probability(count_V: np.ndarray, sample: float) -> np.ndarray:
    """Chance (V,) that an occurrence of a word is read; 1 for every word when `sample` (t) is 0."""
    if sample <= 0:
        return np.ones(len(count_V))
    # a word that does not occur is never asked for
    ratio_V = sample * max(1, count_V.sum()) / np.maximum(count_V, 1)
    return np.minimum(1.0, np.sqrt(ratio_V) + ratio_V)


def noise_probability(count_V: np.ndarray, power: float = 0.75) -> np.ndarray:
    """Chance (V,) that a word is drawn as noise: count^0.75, normalised."""
    raw_V = np.asarray(count_V, np.float64) ** power
    found: np.ndarray = raw_V / raw_V.sum()
    return found


def noise_table(count_V: np.ndarray, size: int = 1 << 20) -> np.ndarray:
    """Word ids (size,) of which a uniform draw is a draw of noise; each word's share is right to 1
    in `size`."""
    edge_V = np.round(np.cumsum(noise_probability(count_V)) * size).astype(np.int64)
    return np.repeat(np.arange(len(count_V)), np.diff(edge_V, prepend=0))
