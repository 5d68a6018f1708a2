"""Copies: which parts of a text stand word for word in the text that was counted.

What      from every token on, the longest run that occurs in the stream (suffixes.py); a run is
          maximal when no longer one contains it.  Share of copied tokens: those that lie in runs of
          at least k tokens.
Source    McCoy, Smolensky, Linzen, Gao & Celikyilmaz, How Much Do Language Models Copy From Their
          Training Data?
          Evaluating Linguistic Novelty in Text Generation Using RAVEN, TACL 11, 2023
Shapes    T = tokens of the text
Differs   A mark between sentences is a token: a run may go on from one line to the next, if it does
          so in the corpus.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.ngram.suffixes import Suffixes


@dataclass(frozen=True, slots=True)
class Span:
    """Tokens `start` to `stop` of the text stand in the corpus `count` times, first at `place` of
    its stream."""

    start: int
    stop: int
    place: int
    count: int

    @property
    def length(self) -> int:
        return self.stop - self.start


@dataclass(frozen=True, slots=True, eq=False)
class Copies:
    """`length_T`: the longest run from each token on.  `spans`: the maximal runs, from left to
    right; they may overlap."""

    length_T: np.ndarray
    spans: tuple[Span, ...]

    def share(self, least: int = 1) -> float:
        """The share of tokens that lie in a copied run of at least so many tokens; 0 for an empty
        text."""
        return float(self.covered(least).mean()) if len(self.length_T) else 0.0

    def covered(self, least: int = 1) -> np.ndarray:
        """(T,) bool: whether a token lies in such a run."""
        step = np.zeros(len(self.length_T) + 1, np.int64)
        for span in self.spans:
            if span.length >= least:
                step[span.start] += 1
                step[span.stop] -= 1
        return step[:-1].cumsum() > 0

    @property
    def longest(self) -> int:
        return max((span.length for span in self.spans), default=0)


def find_copies(suffixes: Suffixes, ids: Sequence[int] | np.ndarray) -> Copies:
    """Of a text, as token ids of the same vocabulary."""
    length_T, low_T, high_T = suffixes.longest(np.asarray(ids, np.int64))
    end_T = np.arange(len(length_T)) + length_T
    starts = np.flatnonzero((length_T > 0) & (end_T > np.append(0, end_T[:-1])))
    spans = []
    for start in starts.tolist():
        low, high = int(low_T[start]), int(high_T[start])
        spans.append(
            Span(start, int(end_T[start]), int(suffixes.start_N[low:high].min()), high - low)
        )
    return Copies(length_T, tuple(spans))
