"""Dot product: how far two vectors point the same way, times their lengths.

What      score = q . k
Source    Luong, Pham & Manning, Effective Approaches to Attention-based Neural Machine Translation,
          2015, eq. 8 ("dot")
Shapes    N = queries, M = keys, K = numbers in a query or key
Differs   Nothing.
"""

from __future__ import annotations

from typing import final

from engine.nn.scores.base import Score


@final
class Dot(Score):
    title, formula = "Dot product", "q · k"
    called = "dot"
    rank = 10
    says = "Grows along the query's direction, and with the length of the key. Nothing to learn."

    def multiplications(self) -> int:
        return self.k


SCORE = Dot
