"""Copy: four letters, a pause, then the same four letters in the same order.

What      four capitals, `distance` tokens of pause, then "?" four times; at the n-th of them the
          n-th capital is asked for
Source    Hochreiter & Schmidhuber, 1997; in this form Arjovsky, Shah & Bengio, Unitary Evolution
          Recurrent Neural Networks, 2016
Shapes    T = distance + 8
Differs   Arjovsky, Shah & Bengio copy ten of eight letters over 100 and more; here four of four, to
          train in seconds.
          Distance is the pause: between a letter and its copy lie distance + 4 steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np

from engine.text.tasks.base import SILENT, Streams, Task, scattered

LETTERS = "abcd"
BLANK, ASK, LONG = "·", "?", 4


@final
class Copy(Task):
    title = "Copy: four letters, in order"
    rank = 10
    says = (
        "Four capitals are shown, followed by a pause of k tokens. Then each of four “?” asks"
        " for one of them, in order. Distractors are lower-case letters in the pause."
    )
    labels = (BLANK, ASK, *LETTERS.upper(), *LETTERS)
    answers = tuple(LETTERS.upper())

    def make(self, n: int, distance: int, seed: int | Sequence[int], noise: float = 0.0) -> Streams:
        self.check(distance, noise)
        rng = np.random.default_rng(seed)
        ids_NT = np.full((n, distance + 2 * LONG), self.labels.index(ASK), np.int64)
        ids_NT[:, :LONG] = rng.choice(self.ids(self.answers), (n, LONG))
        small_NT = rng.choice(self.ids(LETTERS), (n, distance))
        ids_NT[:, LONG:-LONG] = np.where(
            scattered(rng, n, distance, noise), small_NT, self.labels.index(BLANK)
        )
        targets_NT = np.full_like(ids_NT, SILENT)
        targets_NT[:, -LONG:] = ids_NT[:, :LONG]
        return ids_NT, targets_NT


TASK = Copy
