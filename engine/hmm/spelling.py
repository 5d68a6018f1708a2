"""What the spelling of an unknown word says of its state, read off the rare words themselves.

What      P_i(state | last i letters) = (share among rare words that end so + theta P_i-1) /
          (1 + theta), up from all rare words that are written like it: small, capital, with a digit
Source    Brants, TnT: A Statistical Part-of-Speech Tagger, 2000, section 2.3
Shapes    S = states, N = rare words with a state
Differs   theta is given, not the standard deviation of the shares.  No table is made: words are
          sorted by their letters from the end, so those that end alike stand together.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

import numpy as np

from engine.hmm.endings import endings

LAST = "\U0010ffff"  # behind every letter


class Spelling:
    def __init__(
        self, words: Iterable[tuple[str, int, int]], s: int, longest: int, theta: float
    ) -> None:
        """words: rare ones, with a state and how often it wrote them."""
        found = sorted((key(word), state, times) for word, state, times in words)
        self.s, self.longest, self.theta = s, longest, theta
        self.keys = [one for one, _, _ in found]
        self.state_N = np.array([state for _, state, _ in found], np.int64)
        self.times_N = np.array([times for _, _, times in found], float)

    def share(self, word: str) -> np.ndarray:
        """P(state | how the word is written) (S,); zeros where no rare word is known."""
        found_S = self._share(0, len(self.keys))
        whole = key(word)
        for n in range(1, min(len(whole), self.longest + 1) + 1):
            start = whole[:n]
            low = bisect_left(self.keys, start)
            high = bisect_left(self.keys, start + LAST)
            if low == high:
                break
            found_S = (self._share(low, high) + self.theta * found_S) / (1 + self.theta)
        return found_S

    def _share(self, low: int, high: int) -> np.ndarray:
        count_S = np.bincount(self.state_N[low:high], self.times_N[low:high], self.s)
        return count_S / max(count_S.sum(), 1)


def key(word: str) -> str:
    """How it is written, then its letters from the last on: "King" is "Agnik"."""
    return endings(word, 0)[0] + word.lower()[::-1]
