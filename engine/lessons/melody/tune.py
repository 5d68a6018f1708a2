"""Tune: what is true of a row of notes, whoever wrote it.

What      in key   share of the time that sounds which lies in the major scale that holds most of it
          full     share of the bars between two bar lines that have as much time as most of them
          place    eighths since the bar line, behind each token
          run      of two tunes the longest row of notes that both have, in whatever key: equal steps, equal lengths
Shapes    T = tokens
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np

from engine.text.notes import OCTAVE, read

MAJOR = (0, 2, 4, 5, 7, 9, 11)
Step = tuple[int, Fraction]  # half tones up from the note before, and how long it lasts


def sounding(words: Iterable[str]) -> list[tuple[int, Fraction]]:
    """(pitch, eighths) of its notes, without rests."""
    found = (read(word) for word in words)
    return [(note[0], note[1]) for note in found if note and note[0] is not None]


def find_key(words: Iterable[str]) -> tuple[int, float]:
    """Half tones from C of the major scale that holds most of the time, and the share that it holds; a minor key
    has the notes of the major one three half tones above it."""
    time_12 = np.zeros(OCTAVE)
    for pitch, eighths in sounding(words):
        time_12[pitch % OCTAVE] += float(eighths)
    if not time_12.sum():
        return 0, float("nan")
    held = [time_12[[(tonic + step) % OCTAVE for step in MAJOR]].sum() for tonic in range(OCTAVE)]
    return int(np.argmax(held)), float(max(held) / time_12.sum())


def places(words: Sequence[str]) -> np.ndarray:
    """(T,): eighths since the last bar line behind each token; nan before the first."""
    found_T, at = np.full(len(words), np.nan), float("nan")
    for t, word in enumerate(words):
        if word == "|":
            at = 0.0
        elif note := read(word):
            at += float(note[1])
        found_T[t] = at
    return found_T


def bars(words: Sequence[str]) -> list[Fraction]:
    """How long each bar between two bar lines is."""
    found: list[Fraction] = []
    now: Fraction | None = None
    for word in words:
        if word == "|":
            found += [] if now is None else [now]
            now = Fraction(0)
        elif now is not None and (note := read(word)):
            now += note[1]
    return found


def full(words: Sequence[str]) -> float:
    """nan where there is no whole bar."""
    counts = Counter(bars(words))
    return max(counts.values()) / counts.total() if counts else float("nan")


def steps(words: Iterable[str]) -> tuple[Step, ...]:
    notes = sounding(words)
    return tuple((pitch - before, eighths) for (before, _), (pitch, eighths) in pairwise(notes))


class Known:
    """Tunes in which the rows of others are looked for."""

    def __init__(self, tunes: Iterable[Sequence[str]]) -> None:
        self._number = dict[Step, str]()
        every = {self._written(words) for words in tunes}  # in another key it is the same tune

        @cache
        def rows(n: int) -> frozenset[str]:
            return frozenset(one[i : i + n] for one in every for i in range(len(one) - n + 1))

        self._rows = rows

    def _written(self, words: Iterable[str]) -> str:
        """A sign for each step."""
        number = self._number
        return "".join(number.setdefault(step, chr(len(number))) for step in steps(words))

    def run(self, words: Sequence[str]) -> int:
        """How many notes the longest row has that one of the tunes has, too."""
        own = self._written(words)
        low, high = 0, len(own)
        while low < high:  # a row of n steps has rows of fewer in it
            n = (low + high + 1) // 2
            some = self._rows(n)
            if any(own[i : i + n] in some for i in range(len(own) - n + 1)):
                low = n
            else:
                high = n - 1
        return low + 1 if sounding(words) else 0
