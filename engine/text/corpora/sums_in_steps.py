"""Sums in steps: the sums of Sums, with each column worked out before the sum is written.

What      a line is a+b: one step for each column from the right, x+y+carry=sum, then the sum:
          47+85: 7+5+0=12 4+8+1=13 132
Source    Nye et al., Show Your Work: Scratchpads for Intermediate Computation with Language Models,
          2021; Wei et al., Chain-of-Thought Prompting Elicits Reasoning in Large Language Models, 2022
Shapes    a line has 9 n to 10 n characters more than in Sums, for n digits
Differs   The steps are those of addition on paper, always in the same words: the model learns to write
          them, and is never told to by a prompt.
"""

from __future__ import annotations

from engine.text.corpora.base import Lines
from engine.text.corpora.sums import LINES, Sums


class SumsInSteps(Lines):
    id = "sums_in_steps"
    title = "Sums in steps"
    says = (
        "Two numbers of up to four digits, their sum worked out column by column, and then the sum."
    )

    def __init__(self, lines: int = LINES, seed: int = 0) -> None:
        super().__init__(lines, seed)

    def generate(self, lines: int, seed: int = 0) -> list[str]:
        sums = (line.partition("=")[0] for line in Sums().generate(lines, seed))
        return [f"{asked}: {worked(*map(int, asked.split('+')))}" for asked in sums]


def worked(first: int, second: int) -> str:
    """The steps and the sum."""
    steps, carry = [], 0
    columns = zip(reversed(str(first)), reversed(str(second)), strict=True)
    for a, b in columns:
        total = int(a) + int(b) + carry
        steps.append(f"{a}+{b}+{carry}={total}")
        carry = total // 10
    return f"{' '.join(steps)} {first + second}"


CORPUS = SumsInSteps()
