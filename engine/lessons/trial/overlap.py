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
from collections.abc import Callable, Sequence
from dataclasses import dataclass

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

    def __init__(
        self, lines: Sequence[str], n: int, tell: Callable[[float], None] = lambda share: None
    ) -> None:
        self.lines, self.n, self.number = lines, n, dict[str, int]()
        ids, of = list[np.ndarray](), list[np.ndarray]()
        for first in range(0, max(1, len(lines)), STRETCH):
            for at, line in enumerate(lines[first : first + STRETCH], first):
                row = self._ids(line, True)
                ids.append(row)
                of.append(np.full(len(row), at, np.int32))
            tell(0.8 * min(1, (first + STRETCH) / max(1, len(lines))))
        self.id_W = np.concatenate(ids) if ids else np.zeros(0, np.uint64)
        self.line_W = np.concatenate(of) if of else np.zeros(0, np.int32)
        self._of: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self.sorted(n)
        tell(1)

    def _ids(self, line: str, new: bool) -> np.ndarray:
        words = WORDS.findall(line.lower())
        if new:
            number = [self.number.setdefault(word, len(self.number) + 1) for word in words]
        else:
            number = [self.number.get(word, 0) for word in words]
        return np.array(number, np.uint64)

    def sorted(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Hashes of all n-grams that lie within one line, in order, and their lines."""
        if n not in self._of:
            if len(self.id_W) < n:
                self._of[n] = np.zeros(0, np.uint64), np.zeros(0, np.int32)
            else:
                hash_W = hashes(self.id_W, n)
                last = len(self.line_W) - n + 1
                within = self.line_W[:last] == self.line_W[n - 1 :]
                hash_W, line_W = hash_W[within], self.line_W[:last][within]
                order = np.argsort(hash_W, kind="stable")
                self._of[n] = hash_W[order], line_W[order]
        return self._of[n]

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
        whole = there.all() and any(wanted in self._words(at) for at in candidates.tolist())
        ratio, at = max((fuzz.ratio(wanted, self._words(b)) / 100, b) for b in best.tolist())
        return Found(float(there.mean()), bool(whole), self.lines[at], ratio)

    def _words(self, at: int) -> str:
        return f" {' '.join(WORDS.findall(self.lines[at].lower()))} "


def hashes(id_W: np.ndarray, n: int) -> np.ndarray:
    """Of each n numbers in a row: a polynomial in ODD, modulo 2^64, stirred."""
    last = len(id_W) - n + 1
    found = np.zeros(max(0, last), np.uint64)
    with np.errstate(over="ignore"):
        for k in range(n):
            word = id_W[k : k + last] * np.uint64(0xBF58476D1CE4E5B9)
            word ^= word >> np.uint64(31)
            found = found * np.uint64(ODD) + word
            found ^= found >> np.uint64(29)
    return found
