"""Repeats: some letters, a mark, the same letters once more; a letter may come several times.

What      a line is w=w; w has 1 to LONGEST letters of LETTERS, each drawn alone
Source    the copy task of Graves, Wayne & Danihelka, Neural Turing Machines, 2014, sec. 4.1
Shapes    a line has 2 n + 1 characters for n letters
Differs   Letters in the place of random vectors of bits, and the input is written as text.  In Copying
          no letter comes twice, so each says which one is next; here only its place does.
"""

from __future__ import annotations

import numpy as np

from engine.text.corpora.base import Fact, Lines

LETTERS, MARK, LONGEST = "abcdefgh", "=", 10


class Repeats(Lines):
    id = "repeats"
    title = "Copies with repeated letters"
    says = (
        "Some letters from a to h, drawn at random, the mark =, and the same once more: which"
        " letter comes next follows from how many have been copied."
    )

    def generate(self, lines: int, seed: int = 0) -> list[str]:
        rng = np.random.default_rng(seed)
        return [written(rng, int(rng.integers(1, LONGEST + 1))) for _ in range(lines)]

    def facts(self, line: str) -> list[Fact]:
        """Each letter with its copy."""
        size = line.find(MARK)
        return [
            Fact("copy", (i, i + 1), (i + size + 1, i + size + 2))
            for i in range(len(line) - size - 1)
            if i < size
        ]


def written(rng: np.random.Generator, size: int) -> str:
    """One line of so many letters."""
    word = "".join(rng.choice(list(LETTERS), size))
    return f"{word}{MARK}{word}"


CORPUS = Repeats()
