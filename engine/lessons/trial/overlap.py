"""Overlap: which held-out lines stand word for word, or nearly, in a training text.

What      a line is there word for word where the same words in the same order are a line of the training text, or a
          stretch of one; the overlap of a line is the share of its n-grams of words that stand anywhere in it
Source    Brown et al., Language Models are Few-Shot Learners, 2020, app. C (n-grams of words in common); Lee et al.,
          Deduplicating Training Data Makes Language Models Better, 2022; likeness of two lines: Levenshtein, 1966
Shapes    W = words of the training text, L = held-out lines
Differs   Case and punctuation do not count, as there.  The n-grams are told apart by 64-bit hashes: that one is by
          chance like one of ten million others happens once in 10^12 times.  A line of fewer words than n is looked
          for as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

WORDS = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
ODD = 0x9E3779B97F4A7C15  # what a hash is multiplied by from word to word
STRETCH = 2_000  # lines that are numbered at a time
NEAREST = 5  # training lines that are compared letter by letter with a held-out one


@dataclass(frozen=True, slots=True)
class Found:
    """`share` of the n-grams of a line that stand in the training text; `exact`: all its words do, one after
    another in one line; `nearest`: the training line that shares most, and `alike` how like it is, 0 to 1."""

    share: float
    exact: bool
    nearest: str
    alike: float


class Index:
    """The n-grams of a training text, sorted, each with a line that it stands in."""

    def __init__(self, lines: Sequence[str], n: int) -> None:
        self.lines, self.n, self.number = lines, n, dict[str, int]()
        self._ids_of = list[np.ndarray]()
        self._sorted = dict[int, tuple[np.ndarray, np.ndarray]]()

    def reading(self) -> Iterator[float]:
        """Numbers its words, a stretch of lines after the other: the share that is done."""
        for first in range(0, len(self.lines), STRETCH):
            self._ids_of += [self._ids(line, True) for line in self.lines[first : first + STRETCH]]
            yield len(self._ids_of) / len(self.lines)

    @cached_property
    def _words(self) -> tuple[np.ndarray, np.ndarray]:
        """The number of each word, and that of its line."""
        sizes = [len(row) for row in self._ids_of]
        id_W = np.concatenate(self._ids_of) if sizes else np.zeros(0, np.uint64)
        self._ids_of.clear()
        return id_W, np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)

    def _ids(self, line: str, new: bool) -> np.ndarray:
        words = WORDS.findall(line.lower())
        if new:
            number = [self.number.setdefault(word, len(self.number) + 1) for word in words]
        else:
            number = [self.number.get(word, 0) for word in words]
        return np.array(number, np.uint64)

    def sorted(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Hashes of all n-grams that lie within one line, in order, and their lines."""
        if n not in self._sorted:
            id_W, line_W = self._words
            hash_W, last = hashes(id_W, n), max(0, len(id_W) - n + 1)
            within = line_W[:last] == line_W[n - 1 :][:last]
            hash_W, line_W = hash_W[within], line_W[:last][within]
            order = np.argsort(hash_W, kind="stable")
            self._sorted[n] = hash_W[order], line_W[order]
        return self._sorted[n]

    def look_up(self, line: str) -> Found:
        from rapidfuzz import fuzz

        ids = self._ids(line, False)
        if not len(ids):
            return Found(0.0, False, "", 0.0)
        n = min(self.n, len(ids))
        all_W, line_W = self.sorted(n)
        mine = hashes(ids, n)
        known = np.array([bool(ids[k : k + n].all()) for k in range(len(mine))])
        first, stop = (np.searchsorted(all_W, mine, side) for side in ("left", "right"))
        there = known & (stop > first)
        if not there.any():
            return Found(0.0, False, "", 0.0)
        near = np.concatenate(
            [line_W[a:b] for a, b, t in zip(first, stop, there, strict=True) if t]
        )
        lines, votes = np.unique(near, return_counts=True)
        best = lines[np.argsort(-votes, kind="stable")[:NEAREST]]
        wanted = f" {' '.join(WORDS.findall(line.lower()))} "
        candidates = lines if there.all() else best
        whole = there.all() and any(wanted in self._plain(at) for at in candidates.tolist())
        ratio, at = max((fuzz.ratio(wanted, self._plain(b)) / 100, b) for b in best.tolist())
        return Found(float(there.mean()), bool(whole), self.lines[at], ratio)

    def _plain(self, at: int) -> str:
        return f" {' '.join(WORDS.findall(self.lines[at].lower()))} "


def hashes(id_W: np.ndarray, n: int) -> np.ndarray:
    """Of each n numbers in a row: a polynomial in ODD, modulo 2^64, stirred."""
    last = max(0, len(id_W) - n + 1)
    found = np.zeros(last, np.uint64)
    with np.errstate(over="ignore"):
        for k in range(n):
            word = id_W[k : k + last] * np.uint64(0xBF58476D1CE4E5B9)
            word ^= word >> np.uint64(31)
            found = found * np.uint64(ODD) + word
            found ^= found >> np.uint64(29)
    return found


def index(lines: Sequence[str], n: int) -> Index:
    """All of it at once."""
    found = Index(lines, n)
    for __ in found.reading():
        pass
    return found
