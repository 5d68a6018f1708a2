"""Lag: one letter was a capital; which one, so many tokens ago?

What      capital, then distance - 1 tokens, then "?", where the capital is asked for
Source    after the latch of Bengio, Simard & Frasconi, Learning Long-Term Dependencies with
          Gradient Descent is Difficult, 1994
Shapes    T = distance + 1
Differs   The latch has two classes and real-valued noise; here four letters, and small letters as
          distractors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np

from engine.text.tasks.base import SILENT, Streams, Task, scattered

LETTERS = "abcd"
BLANK, ASK = "·", "?"


@final
class Lag(Task):
    title = "Lag: one letter, k tokens ago"
    rank = 20
    says = (
        "A capital is shown. k tokens later, “?” asks which letter it was. Distractors are"
        " lower-case letters: the same letters, but never the answer."
    )
    labels = (BLANK, ASK, *LETTERS.upper(), *LETTERS)
    answers = tuple(LETTERS.upper())

    def make(self, n: int, distance: int, seed: int | Sequence[int], noise: float = 0.0) -> Streams:
        self.check(distance, noise)
        rng = np.random.default_rng(seed)
        ids_NT = np.zeros((n, distance + 1), np.int64)
        ids_NT[:, 0] = rng.choice(self.ids(self.answers), n)
        small_NT = rng.choice(self.ids(LETTERS), (n, distance - 1))
        ids_NT[:, 1:-1] = np.where(
            scattered(rng, n, distance - 1, noise), small_NT, self.labels.index(BLANK)
        )
        ids_NT[:, -1] = self.labels.index(ASK)
        targets_NT = np.full_like(ids_NT, SILENT)
        targets_NT[:, -1] = ids_NT[:, 0]
        return ids_NT, targets_NT


TASK = Lag
