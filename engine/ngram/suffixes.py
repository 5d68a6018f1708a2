"""Suffix array: all places of a stream, sorted by what stands there, so that every run of tokens is
one slice.

What      sorted by libdivsufsort over the bytes of the ids; a run of tokens is looked up by bisection, one token at
          a time
Source    Manber & Myers, Suffix Arrays: A New Method for On-Line String Searches, SODA 1990; Mori, libdivsufsort
Shapes    N = tokens of the stream, T = tokens of a text, K = runs looked up at once
Differs   Marks between sentences are tokens like any other.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

import numpy as np
from pydivsufsort import divsufsort

PART = 1 << 24  # places that are looked through at once


class Suffixes:
    """`start_N[i]` is where the i-th suffix in sorted order begins.  Slices of it, (low, high), are
    the places of one run."""

    def __init__(self, stream_N: np.ndarray, start_N: np.ndarray | None = None) -> None:
        """Both may lie on the disk, mapped; without `start_N` the stream is sorted."""
        self.stream_N = stream_N
        self.start_N = suffix_array(stream_N) if start_N is None else start_N

    def __len__(self) -> int:
        return len(self.start_N)

    def find(self, ids: Sequence[int]) -> tuple[int, int]:
        """The slice of a run of tokens; low = high where it does not occur."""
        wanted = [*map(int, ids)]

        def run(i: int) -> list[int]:
            place = int(self.start_N[i])
            found: list[int] = self.stream_N[place : place + len(wanted)].tolist()
            return found

        low = bisect_left(range(len(self)), wanted, key=run)
        return low, bisect_right(range(len(self)), wanted, low, key=run)

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
            place_K = self.start_N[np.minimum(middle_K, last)].astype(np.int64) + depth
            # the end of the stream is smaller than any token
            ends_K = place_K > last
            token_K = self.stream_N[np.minimum(place_K, last)]
            less_K = open_K & (ends_K | (token_K < word_K))
            low_K, high_K = (
                np.where(less_K, middle_K + 1, low_K),
                np.where(open_K & ~less_K, middle_K, high_K),
            )
        return low_K


def suffix_array(stream_N: np.ndarray) -> np.ndarray:
    """(N,): where the suffixes of a stream of ids (0 and up, below 2^32) begin, in sorted order."""
    if not len(stream_N):
        return np.zeros(0, np.int64)
    # most significant byte first: the order of the bytes is that of the numbers
    wide = np.dtype(">u2" if int(stream_N.max()) < 1 << 16 else ">u4")
    byte_N = divsufsort(np.ascontiguousarray(stream_N.astype(wide)).view(np.uint8))
    found_N = np.empty(len(stream_N), np.uint32 if len(stream_N) < 1 << 32 else np.int64)
    at = 0
    for i in range(0, len(byte_N), PART):
        part = byte_N[i : i + PART]
        some = part[part % wide.itemsize == 0] // wide.itemsize
        found_N[at : at + len(some)] = some
        at += len(some)
    return found_N
