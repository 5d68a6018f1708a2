"""Concordance: every place of an n-gram in the text that was counted, each with what stands to its
left and right.

What      keyword in context: the places are a slice of the suffix array (suffixes.py); a mark
          between sentences at the front of an n-gram is <s>, at its end </s>, as in counts.py, so
          there are as many places as the n-gram's count
Source    Luhn, Key Word-in-Context Index for Technical Literature, American Documentation 11, 1960
Shapes    N = tokens of the stream, C = places of one n-gram, L = lines
Differs   Context stops at the ends of the line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.ngram.suffixes import Suffixes


@dataclass(frozen=True, slots=True)
class Row:
    """One place of an n-gram.

    place  of its first token in the stream
    line   which of the counted lines, from 0
    at     which token of its line, from 0; -1 where the n-gram begins with <s>
    left, gram, right  token ids; marks are not in `left` and `right`
    """

    place: int
    line: int
    at: int
    left: tuple[int, ...]
    gram: tuple[int, ...]
    right: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """Some of the rows: page `number` (from 0) of `pages`, of `total` rows in all."""

    total: int
    number: int
    pages: int
    rows: tuple[Row, ...]


class Concordance:
    """Of a stream with the boundary before each line and after the last one."""

    def __init__(self, suffixes: Suffixes, boundary: int) -> None:
        self.suffixes, self.boundary = suffixes, boundary
        self._mark_L = np.flatnonzero(suffixes.stream_N == boundary)

    @classmethod
    def of(cls, stream_N: np.ndarray, boundary: int) -> Concordance:
        return cls(Suffixes(stream_N), boundary)

    def places(self, gram: Sequence[int]) -> np.ndarray:
        """(C,) where an n-gram begins, in the order of the text.  ValueError for an n-gram of no
        tokens."""
        if not len(gram):
            raise ValueError("an n-gram has at least one token")
        if self.boundary in gram[1:-1]:
            return np.zeros(0, np.int64)  # no n-gram crosses a sentence
        low, high = self.suffixes.find(gram)
        place_C = np.sort(self.suffixes.start_N[low:high])
        if tuple(gram) == (self.boundary,):
            return place_C[place_C > 0]  # the mark before the first line is only ever <s>
        return place_C

    def count(self, gram: Sequence[int]) -> int:
        """How often an n-gram was counted."""
        return len(self.places(gram))

    def lines(self, gram: Sequence[int]) -> np.ndarray:
        """(C,) the line of each place."""
        return self._lines(self.places(gram), gram)

    def page(
        self, gram: Sequence[int], number: int = 0, per_page: int = 20, width: int = 12
    ) -> Page:
        """Page `number`, from 0; the last one where there are fewer.  `width`: at most so many
        tokens on each side."""
        place_C = self.places(gram)
        pages = max(1, -(-len(place_C) // per_page))
        number = min(max(number, 0), pages - 1)
        place_K = place_C[number * per_page : (number + 1) * per_page]
        line_K = self._lines(place_K, gram)
        rows = tuple(
            self._row(p, line, gram, width)
            for p, line in zip(place_K.tolist(), line_K.tolist(), strict=True)
        )
        return Page(len(place_C), number, pages, rows)

    def _lines(self, place_C: np.ndarray, gram: Sequence[int]) -> np.ndarray:
        opens = len(gram) > 1 and gram[0] == self.boundary
        return np.searchsorted(self._mark_L, place_C + opens) - 1

    def _row(self, place: int, line: int, gram: Sequence[int], width: int) -> Row:
        begin, end = int(self._mark_L[line]) + 1, int(self._mark_L[line + 1])
        stop, stream_N = place + len(gram), self.suffixes.stream_N
        left = stream_N[max(begin, place - width) : place].tolist()
        right = stream_N[stop : min(end, stop + width)].tolist()
        return Row(
            place, line, place - begin, tuple(left), tuple(int(i) for i in gram), tuple(right)
        )
