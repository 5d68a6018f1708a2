"""Matches: before each token of a text the longest context that a counted text has, and what followed it there.

What      the runs that begin at each token are looked up together, a token longer at a time, each within the slice of
          the run before it; the context of n tokens before token t is the run of n that begins at t - n
          P(w | h) = c(h'w) / c(h'), h' the longest end of h that occurs: the ∞-gram
Source    Liu, Min, Zettlemoyer, Choi & Hajishirzi, Infini-gram, 2024
Shapes    N = tokens counted, T = tokens of a text, D = lengths of runs, from 0, K = words that follow
Differs   A context begins with its line, as that of an n-gram does, and has FARTHEST tokens at most.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from engine import frame as fr
from engine.lessons.counting_texts import Counted
from engine.ngram.index import FARTHEST
from engine.ngram.smoothing.modified_kneser_ney import ModifiedKneserNey
from engine.ngram.suffixes import Suffixes

KEPT = 4096  # contexts whose continuations are kept
LISTED = 8  # of them
Listed = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Runs:
    """Of a text (T): `low_DT[d, t]` to `high_DT[d, t]` are the sorted places of the run of d tokens from token t, and
    `context_T` (T + 1) is how long the longest context before each token is, and before one that comes next."""

    ids_T: np.ndarray
    low_DT: np.ndarray
    high_DT: np.ndarray
    context_T: np.ndarray

    def slices(self, t: np.ndarray, length: np.ndarray | int) -> tuple[np.ndarray, np.ndarray]:
        """The sorted places of the runs of such lengths that end before each t; nowhere where there are none."""
        length = np.broadcast_to(length, t.shape)
        there = (length < len(self.low_DT)) & (t >= length)
        at = (
            np.where(there, length, 0),
            np.minimum(np.where(there, t - length, 0), len(self.ids_T) - 1),
        )
        low = self.low_DT[at]
        return low, np.where(there, self.high_DT[at], low)


class Matches:
    """A text that was counted, as a suffix array and as a smoothed model."""

    def __init__(self, of: Counted) -> None:
        self.study, self.boundary = of.study, of.study.raw.boundary
        self.suffixes = Suffixes(self.study.stream)
        self.model = self.study.smoothed(ModifiedKneserNey())
        size = len(self.study.vocab)
        self.first_V = np.append(0, np.bincount(self.study.stream, minlength=size).cumsum())
        self.followed = lru_cache(KEPT)(self._followed)
        self.expected = lru_cache(KEPT)(self._expected)

    def __len__(self) -> int:
        return len(self.suffixes)

    def ids(self, text: str) -> np.ndarray:
        """Behind a line end."""
        return np.append(self.boundary, self.study.tokenizer.encode(text).ids)

    def runs(self, ids_T: np.ndarray) -> Runs:
        size = len(ids_T)
        end_T = np.where(ids_T == self.boundary, np.arange(size), size)
        stop_T = np.minimum.accumulate(np.append(end_T[1:], size)[::-1])[::-1] + 1
        stop_T = np.minimum(stop_T, size)  # a run may end in a line end, and goes no further
        low_DT, high_DT = [np.zeros(size, np.int64)], [np.full(size, len(self))]
        going_K, depth = np.arange(size), 0
        while len(going_K) and depth <= FARTHEST:
            low_T, high_T = np.zeros((2, size), np.int64)
            if depth:
                low_K, high_K = self.suffixes.narrow(
                    low_DT[-1][going_K], high_DT[-1][going_K], depth, ids_T[going_K + depth]
                )
            else:
                low_K, high_K = self.first_V[ids_T], self.first_V[ids_T + 1]
            low_T[going_K], high_T[going_K] = low_K, high_K
            low_DT.append(low_T)
            high_DT.append(high_T)
            depth += 1
            going_K = going_K[(high_K > low_K) & (going_K + depth < stop_T[going_K])]
        low_DT_, high_DT_ = np.array(low_DT), np.array(high_DT)
        reach_T = np.arange(size) + (high_DT_ > low_DT_).sum(0) - 1  # ends never go back
        each = np.arange(size + 1)
        begin_T = np.maximum.accumulate(np.append(0, np.where(end_T < size, end_T, 0)))
        first_T = np.searchsorted(np.maximum.accumulate(reach_T), each)
        length_T = each - np.maximum.reduce([first_T, begin_T, each - FARTHEST])
        return Runs(ids_T, low_DT_, high_DT_, length_T)

    def total(self, runs: Runs, t: np.ndarray) -> np.ndarray:
        """How often the longest context before each t was followed by something."""
        length = runs.context_T[t]
        low, high = runs.slices(t, length)
        # the mark before the first line follows nothing, and nothing follows the last one
        edge = (length == 0) | ((length == 1) & (runs.ids_T[np.maximum(t - 1, 0)] == self.boundary))
        return high - low - edge

    def count(self, runs: Runs) -> np.ndarray:
        """(T,) how often each token followed the longest context before it."""
        t, length = np.arange(len(runs.ids_T)), runs.context_T[:-1]
        low, high = runs.slices(t + 1, length + 1)
        return high - low - ((length == 0) & (runs.ids_T == self.boundary))

    def infinite(self, runs: Runs) -> np.ndarray:
        """(T,) the probability of each token by the ∞-gram."""
        return self.count(runs) / self.total(runs, np.arange(len(runs.ids_T)))

    def smoothed(self, ids_T: np.ndarray) -> np.ndarray:
        """(T,) that by modified Kneser-Ney; of the first token, which nothing foretells, none."""
        return np.append(np.nan, self.model.probabilities(ids_T))

    def next(self, runs: Runs, t: np.ndarray) -> Iterator[tuple[Listed, Listed]]:
        """What comes next before each t: ids (K,) and counts by the ∞-gram, ids and probabilities by the other."""
        back, ids = max(1, self.study.order - 1), runs.ids_T.tolist()
        found = (*runs.slices(t, runs.context_T[t]), runs.context_T[t], t)
        for low, high, length, at in zip(*(each.tolist() for each in found), strict=True):
            behind = tuple(ids[max(0, at - back) : at])
            yield self.followed(low, high, length), self.expected(behind)

    def likeliest(self, runs: Runs, t: np.ndarray) -> list[int]:
        """What followed the longest context before each t most often; of equals the one with the smallest id."""
        found = (*runs.slices(t, runs.context_T[t]), runs.context_T[t])
        each = zip(*(each.tolist() for each in found), strict=True)
        return [int(self.followed(*of)[0][0]) for of in each]

    def _followed(self, low: int, high: int, length: int) -> Listed:
        place = self.suffixes.start_N[low:high].astype(np.int64) + length
        place = place[(place > 0) & (place < len(self))]
        count_V = np.bincount(self.study.stream[place], minlength=len(self.study.vocab))
        best = best_of(count_V)
        return best, count_V[best]

    def _expected(self, behind: tuple[int, ...]) -> Listed:
        place_TM = self.model.counts.places(np.array(behind, np.int64))[-1:]
        p_V = self.model.distributions(place_TM)[0]
        best = best_of(p_V)
        return best, p_V[best]


def best_of(worth_V: np.ndarray) -> np.ndarray:
    """The LISTED largest above 0, the largest first; of equals those that come first."""
    some = np.argpartition(-worth_V, min(LISTED, len(worth_V) - 1))[:LISTED]
    least = worth_V[some].min()
    some = np.append(np.flatnonzero(worth_V > least), np.flatnonzero(worth_V == least))[:LISTED]
    some = some[np.argsort(-worth_V[some], kind="stable")]
    return np.asarray(some[worth_V[some] > 0])


@fr.once
def matches(of: Counted) -> Matches:
    return Matches(of)
