"""FM-index: how often a pattern stands in a text, from its last letter to its first, by the letters before the sorted
places alone.

What      L: the letter before each place, places sorted by what stands there (Burrows-Wheeler transform)
          C(c): letters smaller than c;  Occ(c, i): how many of the first i letters of L are c
          low = C(c) + Occ(c, low),  high = C(c) + Occ(c, high), for each letter c of the pattern, the last one first
Source    Ferragina & Manzini, Opportunistic Data Structures with Applications, 2000; Burrows & Wheeler, A Block-sorting
          Lossless Data Compression Algorithm, 1994
Shapes    N = letters of the text, and its end
Differs   Occ is counted anew each time; an index for long texts keeps it at every few places.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.ngram.suffixes import Suffixes

END = "$"  # smaller than every letter


@dataclass(frozen=True)
class Step:
    """A letter of the pattern, and the places that begin with it and all letters behind it: `low` up to `high`."""

    letter: str
    before: int  # C
    occ_low: int
    occ_high: int

    @property
    def low(self) -> int:
        return self.before + self.occ_low

    @property
    def high(self) -> int:
        return self.before + self.occ_high


class Fm:
    def __init__(self, text: str) -> None:
        self.text, self.letters = text, sorted(set(text))
        self.id = {letter: i for i, letter in enumerate(self.letters, 1)}
        stream_N = np.array([*map(self.id.__getitem__, text), 0])
        self.suffixes = Suffixes(stream_N)
        self.start_N = self.suffixes.start_N.astype(np.int64)
        self.last_N = stream_N[self.start_N - 1]
        self.smaller = np.append(0, np.bincount(stream_N)).cumsum()

    def search(self, pattern: str) -> list[Step]:
        """A step for each letter, until none is left."""
        low, high, found = 0, len(self.last_N), list[Step]()
        for letter in reversed(pattern):
            id = self.id.get(letter)
            if id is None:
                return [*found, Step(letter, 0, 0, 0)]
            occ = [int((self.last_N[:i] == id).sum()) for i in (low, high)]
            step = Step(letter, int(self.smaller[id]), *occ)
            low, high = step.low, step.high
            found.append(step)
            if low == high:
                break
        return found

    def bisected(self, pattern: str) -> int:
        """The same by the suffix array."""
        if not all(letter in self.id for letter in pattern):
            return 0
        low, high = self.suffixes.find([self.id[letter] for letter in pattern])
        return high - low
