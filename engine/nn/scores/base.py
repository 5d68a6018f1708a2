"""Score: a number for every query and key.  A kind says how.

Shapes    N = queries, M = keys, K = numbers in a query or key
"""

from __future__ import annotations

from typing import ClassVar

from torch import Tensor, nn


class Score(nn.Module):
    title: ClassVar[str]
    formula: ClassVar[str]

    def __init__(self, k: int) -> None:
        super().__init__()
        self.k = k

    def forward(self, q_NK: Tensor, k_MK: Tensor) -> Tensor:
        """(N, M)."""
        raise NotImplementedError

    def multiplications(self) -> int:
        """For one query and one key."""
        raise NotImplementedError
