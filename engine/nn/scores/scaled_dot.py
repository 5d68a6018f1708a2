"""Scaled dot product: divided by what random vectors of this width would reach by their width
alone.

What      score = q . k / sqrt(K)
Source    Vaswani et al., Attention Is All You Need, 2017, eq. 1
Shapes    N = queries, M = keys, K = numbers in a query or key
Differs   Nothing.
"""

from __future__ import annotations

import math
from typing import final

from torch import Tensor

from engine.nn.scores.base import Score


@final
class ScaledDot(Score):
    title, formula = "Scaled dot product", "q · k / √d"
    called = "scaled dot"
    rank = 20
    says = "The same picture, flatter by √d."

    def asked(self, q_NK: Tensor) -> Tensor:
        return q_NK / math.sqrt(self.k)

    def multiplications(self) -> int:
        return self.k + 1


SCORE = ScaledDot
