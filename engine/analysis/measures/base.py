"""Base: what all measures have in common.

What      of each line a measure counts a few numbers; the score of many lines is made of their sums, so
          that lines can be drawn again without being read again
Shapes    K = numbers of a line; D = draws, or lines, or whatever else is scored side by side
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

Row = Callable[[str, Sequence[str]], Sequence[float]]
"""(what was said, references) -> the numbers (K) of this line."""
Score = Callable[[np.ndarray], np.ndarray]
"""Sums (D, K) -> scores (D), 100 for what is perfect, or 0 where errors are counted."""


@dataclass(frozen=True)
class Measure:
    """`alone` scores a line by itself, where that differs from a text of one line; `errors`: whether
    less is better; `many`: whether it knows several references."""

    id: str
    title: str
    columns: int
    row: Row
    score: Score
    alone: Score
    errors: bool = False
    many: bool = True

    def sentence(self, said: str, references: Sequence[str]) -> float:
        """Of one line.  ValueError without a reference."""
        if not references:
            raise ValueError("There is no reference to compare with.")
        total_1K = np.array([self.row(said, references)], float)
        return float(self.alone(total_1K)[0])


def means(total_D2: np.ndarray) -> np.ndarray:
    """The score where a line counts its own score, and 1."""
    return np.divide(
        total_D2[:, 0], total_D2[:, 1], out=np.zeros(len(total_D2)), where=total_D2[:, 1] > 0
    )


def f_score(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
