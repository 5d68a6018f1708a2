"""Copying: some letters, a mark, the same letters once more.

What      a line is w=w; w has 2 to LONGEST letters of the alphabet, none of them twice, so each
          letter says which one comes next
Source    Hochreiter & Schmidhuber, Long Short-Term Memory, 1997; repeated random tokens: Olsson et
          al., In-context Learning and Induction Heads, 2022
Shapes    a line has 2 n + 1 characters for n letters
Differs   The task in engine/text/tasks/copy.py has four letters and a pause in place of the mark.
"""

from __future__ import annotations

import string

import numpy as np

from engine.text.corpora.base import Fact, Lines

MARK, LONGEST = "=", 8


class Copying(Lines):
    id = "copying"
    title = "Copies"
    says = (
        "Some random letters, the mark =, and the same letters once more: after the mark every"
        " letter is known."
    )

    def generate(self, lines: int, seed: int = 0) -> list[str]:
        rng = np.random.default_rng(seed)
        letters = np.array(list(string.ascii_lowercase))
        words = (
            "".join(rng.permutation(letters)[: rng.integers(2, LONGEST + 1)]) for _ in range(lines)
        )
        return [f"{word}{MARK}{word}" for word in words]

    def facts(self, line: str) -> list[Fact]:
        """Each letter with its copy."""
        size = line.find(MARK)
        return [
            Fact("copy", (i, i + 1), (i + size + 1, i + size + 2))
            for i in range(len(line) - size - 1)
            if i < size
        ]


CORPUS = Copying()
