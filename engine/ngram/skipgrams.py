"""Skip-grams in the n-gram sense: n tokens of a sentence in their order, with some left out between
them.

What      the k-skip-n-grams of a sentence: tokens at i_1 < ... < i_n with (i_n - i_1) - (n - 1) <=
          k, k tokens left out in
          all at most.  P_skip(w | v) at distance d: the share of w among the tokens that stand d
          places after v.
Source    Guthrie, Allison, Liu, Guthrie & Wilks, A Closer Look at Skip-gram Modelling, LREC 2006
Shapes    N = tokens of a stream, S = skip-grams, G = distinct ones, n = tokens of each, V = token
          ids
Differs   The skip-gram model of word2vec (engine/models/skipgram.py) shares the name: it learns
          vectors that predict the neighbours of a word.  Here tuples are counted.  Distances run
          from 1 to k + 1: no token left out is distance 1.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np


def offsets(n: int, k: int) -> list[tuple[int, ...]]:
    """Where the n tokens stand from the first one on, for every way to leave out at most k."""
    if n < 1 or k < 0:
        raise ValueError(
            f"a skip-gram has at least one token and leaves out none or more; n = {n}, k = {k} were"
            " given"
        )
    return [(0, *rest) for rest in combinations(range(1, n + k), n - 1)]


def skipgrams(stream_N: np.ndarray, n: int, k: int, boundary: int | None = None) -> np.ndarray:
    """(S, n) ids of all k-skip-n-grams; none has a boundary in it or crosses one."""
    return np.concatenate(
        [np.stack(_at(stream_N, offset, boundary), 1) for offset in offsets(n, k)]
    )


def count_skipgrams(
    stream_N: np.ndarray, n: int, k: int, boundary: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """((G, n) distinct skip-grams, (G,) counts), most frequent first."""
    size = int(stream_N.max()) + 1 if len(stream_N) else 1
    if size**n < 2**63:  # a skip-gram fits in one integer
        key_S = np.concatenate(
            [_keys(_at(stream_N, offset, boundary), size) for offset in offsets(n, k)]
        )
        key_S.sort()
        first_G = np.flatnonzero(np.append(True, key_S[1:] != key_S[:-1])[: len(key_S)])
        count_G = np.diff(first_G, append=len(key_S))
        gram_Gn = np.stack(
            [key_S[first_G] // size**place % size for place in range(n - 1, -1, -1)], 1
        )
    else:
        gram_Gn, count_G = np.unique(
            skipgrams(stream_N, n, k, boundary), axis=0, return_counts=True
        )
    ranked_G = np.argsort(-count_G, kind="stable")
    return gram_Gn[ranked_G], count_G[ranked_G]


def at_distance(
    stream_N: np.ndarray, word: int, distance: int, size: int, boundary: int | None = None
) -> np.ndarray:
    """(V,) how often each token stands `distance` places after a word, in the same sentence."""
    first_S, second_S = _at(stream_N, (0, distance), boundary)
    return np.bincount(second_S[first_S == word], minlength=size)


def pairs(stream_N: np.ndarray, distance: int, boundary: int | None = None) -> int:
    """How many pairs of tokens stand at a distance."""
    return len(_at(stream_N, (0, distance), boundary)[0])


def _at(stream_N: np.ndarray, offset: tuple[int, ...], boundary: int | None) -> list[np.ndarray]:
    """n times (S,): the tokens at these offsets from every token on."""
    count = max(0, len(stream_N) - offset[-1])
    columns = [stream_N[o : o + count] for o in offset]
    if boundary is None:
        return columns
    sentence_N = np.cumsum(stream_N == boundary, dtype=np.int32)
    within_S = (sentence_N[:count] == sentence_N[offset[-1] : offset[-1] + count]) & (
        stream_N[:count] != boundary
    )
    return [column_S[within_S] for column_S in columns]


def _keys(columns: list[np.ndarray], size: int) -> np.ndarray:
    """(S,) int64: the tokens of a skip-gram as the digits of one number."""
    key_S = np.zeros(len(columns[0]), np.int64)
    for column_S in columns:
        key_S = key_S * size + column_S
    return key_S
