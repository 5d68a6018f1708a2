"""Brackets: three kinds, nested; which closing one has to come now?

What      a bracket opens, distance - 1 tokens follow in which every bracket is closed again, then
          "?" asks for its closing kind
Source    Dyck-3 of Chomsky & Schuetzenberger, 1963; as a test of LSTMs: Suzgun, Belinkov, Shieber &
          Gehrmann, 2019
Shapes    T = distance + 1
Differs   One question a stream, so the distance is known.  Brackets come in pairs, so distances are
          odd; distractors are letters, an even number of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np

from engine.text.tasks.base import SILENT, Streams, Task

OPEN, CLOSED, LETTERS, ASK = "([{", ")]}", "abc", "?"


@final
class Brackets(Task):
    title = "Brackets: which one closes?"
    rank = 30
    says = (
        "A bracket opens, and others open and close inside it. k tokens later, “?” asks which"
        " kind has to close now. Distractors are letters."
    )
    labels = (ASK, *OPEN, *CLOSED, *LETTERS)
    answers = tuple(CLOSED)

    def distances(self, most: int) -> list[int]:
        return list(range(1, most + 1, 2))

    def make(self, n: int, distance: int, seed: int | Sequence[int], noise: float = 0.0) -> Streams:
        self.check(distance, noise)
        rng = np.random.default_rng(seed)
        opening, closing, letters = self.ids(OPEN), self.ids(CLOSED), self.ids(LETTERS)
        room = distance - 1
        many = 2 * round(noise * room / 2)
        ids_NT = np.full((n, distance + 1), self.labels.index(ASK), np.int64)
        targets_NT = np.full_like(ids_NT, SILENT)
        for row, target in zip(ids_NT, targets_NT, strict=True):
            kind = int(rng.integers(3))
            row[0], target[-1] = opening[kind], closing[kind]
            inside = _balanced(rng, (room - many) // 2, opening, closing)
            noisy = np.zeros(room, bool)
            noisy[rng.permutation(room)[:many]] = True
            row[1:-1][noisy] = rng.choice(letters, many)
            row[1:-1][~noisy] = inside
        return ids_NT, targets_NT


def _balanced(
    rng: np.random.Generator, pairs: int, opening: list[int], closing: list[int]
) -> list[int]:
    """`pairs` pairs, well nested: at each place open or close by a fair coin, as far as the rest
    allows."""
    found: list[int] = []
    stack: list[int] = []
    while len(found) < 2 * pairs:
        left = 2 * pairs - len(found) - len(stack)  # tokens not needed to close what is open
        if not stack or (left > 0 and rng.random() < 0.5):
            stack.append(int(rng.integers(len(opening))))
            found.append(opening[stack[-1]])
        else:
            found.append(closing[stack.pop()])
    return found


TASK = Brackets
