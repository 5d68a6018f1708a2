"""ALiBi: each head loses a fixed amount of score per token of distance, some heads little, some
much.

What      score(q, k) = q . key_k / sqrt(K) - m_h |q - k|; slopes m_h = 2^(-8h/N) for the heads h =
          1 .. N
Source    Press, Smith & Lewis, Train Short, Test Long, 2022, sec. 3
Shapes    T = tokens that look, S = tokens looked at, N = heads
Differs   With a number of heads that is no power of two the formula is kept as it is; the authors'
          code takes other slopes then.
"""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor

from engine.nn.positions.base import Position


def slopes(heads: int) -> Tensor:
    """(N,), the steepest first."""
    return 2.0 ** (-8.0 * torch.arange(1, heads + 1, dtype=torch.float64) / heads)


@final
class Alibi(Position):
    title, rank = "ALiBi", 70
    about = (
        "ALiBi: in every layer each head subtracts a fixed amount from the score for every token of"
        " distance, some heads much, some little. Nothing is learned."
    )
    says = "The penalty for the distance, added to the score."
    where, tells = "scores, every layer", "the distance, as a penalty"
    learned, anywhere = "0", "yes"
    used_by = "BLOOM, MPT"

    def bias(self, q_BNTK: Tensor, query_T: Tensor, key_S: Tensor) -> Tensor:
        far_TS = (key_S[None] - query_T[:, None]).abs().to(q_BNTK.dtype)
        slope_N = slopes(self.frame.heads).to(q_BNTK)
        return -slope_N[None, :, None, None] * far_TS


POSITION = Alibi
