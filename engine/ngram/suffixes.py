"""Suffix array: all places of a stream, sorted by what stands there, so that every run of tokens is
one slice.

What      prefix doubling: places sorted by two tokens, then by four, eight, ... (the rank of a
          place and that of the place after it); a place that stands alone in its rank is done and
          takes no further part.
          A run of tokens is looked up by bisection, one token at a time.
Source    Manber & Myers, Suffix Arrays: A New Method for On-Line String Searches, SODA 1990;
          only what is undecided is sorted again: Larsson & Sadakane, Faster Suffix Sorting, 1999
Shapes    N = tokens of the stream, T = tokens of a text, K = runs looked up at once
Differs   Marks between sentences are tokens like any other.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


class Suffixes:
    """`start_N[i]` is where the i-th suffix in sorted order begins.  Slices of it, (low, high), are
    the places of one run."""

    def __init__(self, stream_N: np.ndarray) -> None:
        self.stream_N = stream_N
        self.start_N = suffix_array(stream_N)
        self._padded = np.append(stream_N, -1)  # the end of the stream is smaller than any token

    def __len__(self) -> int:
        return len(self.start_N)

    def find(self, ids: Sequence[int]) -> tuple[int, int]:
        """The slice of a run of tokens; low = high where it does not occur."""
        low_K, high_K = np.zeros(1, np.int64), np.array([len(self)])
        for depth, id in enumerate(ids):
            low_K, high_K = self.narrow(low_K, high_K, depth, np.array([id]))
        return int(low_K[0]), int(high_K[0])

    def narrow(
        self, low_K: np.ndarray, high_K: np.ndarray, depth: int, word_K: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Slices of runs of `depth` tokens, cut down to those that go on with a token."""
        begin_K = self._bisect(low_K, high_K, depth, word_K)
        return begin_K, self._bisect(begin_K, high_K, depth, word_K + 1)

    def longest(self, ids_T: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Per token of a text: (length, low, high) of the longest run from there on that stands in
        the stream."""
        length_T, low_T, high_T = (
            np.zeros(len(ids_T), np.int64),
            np.zeros(len(ids_T), np.int64),
            np.full(len(ids_T), len(self)),
        )
        going_K, depth = np.arange(len(ids_T)), 0
        while len(going_K):
            low_K, high_K = self.narrow(
                low_T[going_K], high_T[going_K], depth, ids_T[going_K + depth]
            )
            found_K = high_K > low_K
            going_K, depth = going_K[found_K], depth + 1
            low_T[going_K], high_T[going_K], length_T[going_K] = (
                low_K[found_K],
                high_K[found_K],
                depth,
            )
            going_K = going_K[going_K + depth < len(ids_T)]
        return length_T, low_T, high_T

    def _bisect(
        self, low_K: np.ndarray, high_K: np.ndarray, depth: int, word_K: np.ndarray
    ) -> np.ndarray:
        """(K,) the first place of each slice whose token at `depth` is not below `word`."""
        last = len(self) - 1
        while (open_K := low_K < high_K).any():
            middle_K = (low_K + high_K) // 2
            token_K = self._padded[
                np.minimum(self.start_N[np.minimum(middle_K, last)] + depth, last + 1)
            ]
            less_K = open_K & (token_K < word_K)
            low_K, high_K = (
                np.where(less_K, middle_K + 1, low_K),
                np.where(open_K & ~less_K, middle_K, high_K),
            )
        return low_K


def suffix_array(stream_N: np.ndarray) -> np.ndarray:
    """(N,) int64: where the suffixes of a stream of ids (0 and up) begin, in sorted order."""
    n = len(stream_N)
    if not n:
        return np.zeros(0, np.int64)
    after_N = np.append(stream_N[1:] + 1, 0)
    key_N, start_N = sorted_keys(stream_N.astype(np.int64) * (int(stream_N.max()) + 2) + after_N)
    start_N = start_N.astype(np.int64)
    # the place of the first suffix with the same beginning; 0 behind the end
    rank_N = np.empty(n + 1, np.int64)
    rank_N[n] = 0
    # A: suffixes not yet told apart, by their places in sorted order
    slot_A, width = (np.arange(n), 2)
    while True:
        new_A = np.append(True, key_N[1:] != key_N[:-1])
        head_A = slot_A[np.maximum.accumulate(np.where(new_A, np.arange(len(slot_A)), 0))]
        rank_N[start_N[slot_A]] = head_A + 1
        same_A = ~(new_A & np.append(new_A[1:], True))
        slot_A = slot_A[same_A]
        if not len(slot_A):
            return start_N
        place_A = start_N[slot_A]
        key_N, from_A = sorted_keys(
            rank_N[place_A] * (n + 1) + rank_N[np.minimum(place_A + width, n)]
        )
        start_N[slot_A] = place_A[from_A]
        width *= 2


def sorted_keys(key_N: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(keys in order, where each came from).  Key and place in one integer, if they fit, sort twice
    as fast as an argsort."""
    bits = max(1, len(key_N)).bit_length()
    if len(key_N) and int(key_N.max()).bit_length() + bits <= 63:
        both_N = (key_N << bits) | np.arange(len(key_N))
        both_N.sort()
        return both_N >> bits, both_N & ((1 << bits) - 1)
    from_N = np.argsort(key_N)
    return key_N[from_N], from_N
