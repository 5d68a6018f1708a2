"""Sums: two numbers and their sum, at once.

What      a line is a+b=c; a and b have the same number of digits, 1 to LONGEST, each equally often
Source    Nye et al., Show Your Work: Scratchpads for Intermediate Computation with Language Models,
          2021
Shapes    a line has 2 n + 2 characters and those of the sum, for n digits
Differs   Sums in Steps has the same sums with every digit worked out.
"""

from __future__ import annotations

import numpy as np

from engine.text.corpora.base import Lines

LONGEST, LINES = 4, 24_000


def drawn(rng: np.random.Generator, digits: int) -> tuple[int, int]:
    """Two numbers of so many digits, the first never 0 where there are more."""
    least = 10 ** (digits - 1) if digits > 1 else 0
    first, second = rng.integers(least, 10**digits, 2).tolist()
    return first, second


class Sums(Lines):
    id = "sums"
    title = "Sums"
    says = "Two numbers of up to four digits and their sum, written down at once."

    def __init__(self, lines: int = LINES, seed: int = 0) -> None:
        super().__init__(lines, seed)

    def generate(self, lines: int, seed: int = 0) -> list[str]:
        rng = np.random.default_rng(seed)
        pairs = (drawn(rng, int(rng.integers(1, LONGEST + 1))) for _ in range(lines))
        return [f"{a}+{b}={a + b}" for a, b in pairs]


CORPUS = Sums()
