"""Bilinear score: a matrix between the two says which number of one goes with which of the other.

What      score = q^T M k
Source    Luong, Pham & Manning, Effective Approaches to Attention-based Neural Machine Translation,
          2015, eq. 8 ("general")
Shapes    N = queries, M = keys, K = numbers in a query or key
Differs   Nothing.  A head of a Transformer is one already, between the tokens themselves: M = W_Q
          W_K^T.
"""

from __future__ import annotations

from typing import final

import numpy as np
import torch
from torch import Tensor, nn

from engine.nn.scores.base import Score


@final
class Bilinear(Score):
    title, formula = "Bilinear", "qᵀ M k"
    called = "general"
    rank = 30
    says = (
        "A learned matrix M between the two. Here it turns the key: at 90° a query matches what"
        " lies at a right angle to it."
    )

    def __init__(self, k: int) -> None:
        super().__init__(k)
        self.between = nn.Parameter(torch.eye(k))

    def put(self, m_KK: np.ndarray) -> None:
        """Make this the matrix."""
        self.between.data = torch.as_tensor(m_KK, dtype=torch.float32)

    def asked(self, q_NK: Tensor) -> Tensor:
        return q_NK @ self.between

    def multiplications(self) -> int:
        return self.k * self.k + self.k


SCORE = Bilinear
