"""Lag: after a start of K free letters each letter is the one K before it.

What      x_t is drawn for t <= K, x_t = x_(t - K) after that
Source    a fixed lag in every token, after the tasks of Hochreiter & Schmidhuber, Long Short-Term
          Memory, 1997, sec. 5
Shapes    a line has SHORTEST to LONGEST letters
Differs   The task in engine/text/tasks/lag.py asks once, at any distance; here every token asks,
          always at the same one.  As letters repeat in the start, what followed the same letter
          before does not help: only the distance does.
"""

from __future__ import annotations

import numpy as np

from engine.text.corpora.base import Fact, Lines
from engine.text.tasks.lag import LETTERS

K, SHORTEST, LONGEST = 6, 12, 36


class Lag(Lines):
    id = "lag"
    title = f"Lag of {K}"
    says = f"Each letter is the one {K} letters before it; only the first {K} of a line are free."

    def generate(self, lines: int, seed: int = 0) -> list[str]:
        rng = np.random.default_rng(seed)
        starts = rng.choice(list(LETTERS), (lines, K))
        lengths = rng.integers(SHORTEST, LONGEST + 1, lines)
        return [
            "".join(np.resize(start, length)) for start, length in zip(starts, lengths, strict=True)
        ]

    def facts(self, line: str) -> list[Fact]:
        """Each letter with the one K after it."""
        return [Fact("copy", (i, i + 1), (i + K, i + K + 1)) for i in range(len(line) - K)]


CORPUS = Lag()
