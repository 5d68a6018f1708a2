"""Brackets: one pair around others, of three kinds, well nested, with letters inside; a line ends
when its first bracket closes.

What      the streams of the task Brackets, their question answered: each closing bracket is the
          kind that was opened last
Source    engine/text/tasks/brackets.py
Shapes    a line has SHORTEST + 1 to LONGEST + 1 characters
Differs   The task asks for the last bracket alone; here each closing bracket has one right kind,
          and so has the line end.
"""

from __future__ import annotations

import numpy as np

from engine.text.corpora.base import Fact, Lines
from engine.text.tasks.base import fill_answers
from engine.text.tasks.brackets import CLOSED, OPEN
from engine.text.tasks.brackets import Brackets as Task

SHORTEST, LONGEST = 5, 31  # from the first bracket to the last one
NOISES = (0.0, 0.2, 0.4, 0.6)  # shares of letters


class Brackets(Lines):
    id = "brackets"
    title = "Brackets"
    says = (
        "Round, square and curly brackets inside each other, with letters: the kind that has to"
        " close is always known."
    )

    def generate(self, lines: int, seed: int = 0) -> list[str]:
        """As many of each length and share of letters, in random order."""
        task, rng = Task(), np.random.default_rng(seed)
        kinds = [
            (distance, noise) for distance in task.between(SHORTEST, LONGEST) for noise in NOISES
        ]
        many = -(-lines // len(kinds))
        made = [
            task.written(row)
            for n, (distance, noise) in enumerate(kinds)
            for row in fill_answers(*task.make(many, distance, (seed, n), noise))
        ]
        return [made[i] for i in rng.permutation(len(made))[:lines]]

    def facts(self, line: str) -> list[Fact]:
        """Each bracket with the one that closes it.  ValueError for a line in which they do not
        match."""
        found, open_at = [], list[int]()
        for i, c in enumerate(line):
            if c in OPEN:
                open_at.append(i)
            elif c in CLOSED:
                if not open_at or OPEN.index(line[open_at[-1]]) != CLOSED.index(c):
                    raise ValueError(
                        "a bracket of this line closes none, or not the one that was opened last"
                    )
                found.append(Fact("brackets", (at := open_at.pop(), at + 1), (i, i + 1)))
        return found


CORPUS = Brackets()
