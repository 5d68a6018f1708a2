"""Unknown words: words seen less often than some number are read as <unk>, so that <unk> has counts
of its own.

What      every token counted fewer than c times becomes <unk> in the text that is counted; then
          P(<unk> | h) is a
          probability like any other, and a word outside the vocabulary gets it
Source    Jurafsky & Martin, Speech and Language Processing, 3rd ed., ch. 3 (closed vocabulary,
          <unk>)
Shapes    N = tokens of a stream, V = token ids
Differs   The ids stay what they were; those of rare words just never occur.  For a vocabulary
          without them, fit Words to `V - rare_V.sum()` tokens: rare words are its last.
          Perplexities under different c do not compare: the fewer the words, the easier the guess.
"""

from __future__ import annotations

import numpy as np


def rare(stream_N: np.ndarray, size: int, least: int, boundary: int) -> np.ndarray:
    """(V,) bool: the tokens that occur, but fewer than `least` times; never the boundary."""
    count_V = np.bincount(stream_N, minlength=size)
    rare_V: np.ndarray = (count_V > 0) & (count_V < least)
    rare_V[boundary] = False
    return rare_V


def with_unknown(stream_N: np.ndarray, rare_V: np.ndarray, unknown: int) -> np.ndarray:
    """(N,) the stream with rare tokens as <unk>, also for a held-out text."""
    return np.where(rare_V[stream_N], unknown, stream_N)
