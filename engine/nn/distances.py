"""Distances: a vector for each distance between two tokens, which the queries and the keys of every layer
meet besides each other (disentangled attention).

What      score(q_i, k_j) = (q_i . k_j + q_i . W_K r_d + W_Q r_d . k_j) / sqrt(3 K), d = bucket(i - j);
          r_d is normalised, and W_Q and W_K are the layer's own; far distances share a vector, in
          steps of the logarithm
Source    He, Liu, Gao & Chen, DeBERTa: Decoding-enhanced BERT with Disentangled Attention, 2021, eq. 4;
          buckets and shared weights: He, Gao & Chen, DeBERTaV3, 2023
Shapes    B = batch, T = tokens that look, S = tokens looked at, N = heads, K = width of a head, D =
          width, R = distances
Differs   Nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from engine.nn.norm import norm

TERMS = 3  # products that make a score


def bucket(far: Tensor, reach: int, farthest: int) -> Tensor:
    """Which of the `reach` vectors to each side a signed distance has, int64; all exactly up to half of
    them, or all where `farthest` is 0."""
    far = far.round().long()
    if not farthest:
        return far
    exact = reach // 2
    steps = (far.abs().clamp(min=exact).float() / exact).log()
    steps = (steps / torch.tensor((farthest - 1) / exact).log() * (exact - 1)).ceil().long()
    return torch.where(far.abs() <= exact, far, (exact + steps) * far.sign())


class Distances(nn.Module):
    def __init__(self, width: int, reach: int, farthest: int, epsilon: float) -> None:
        """reach     vectors to each side
        farthest  the distance that the last of them is for; 0: each distance has its own"""
        super().__init__()
        self.reach, self.farthest = reach, farthest
        self.table, self.norm = nn.Embedding(2 * reach, width), norm("layer", width, epsilon)

    def bias(
        self,
        q_BNTK: Tensor,
        k_BNSK: Tensor,
        query_T: Tensor,
        key_S: Tensor,
        project: Callable[[Tensor], tuple[Tensor, Tensor]],
    ) -> Tensor:
        """(B, N, T, S), not divided yet.  `project`: vectors (R, D) -> the layer's queries and keys of
        them (N, R, K)."""
        q_NRK, k_NRK = project(self.norm(self.table.weight))
        far_TS = bucket(query_T[:, None] - key_S[None], self.reach, self.farthest) + self.reach
        far_TS = far_TS.clamp(0, 2 * self.reach - 1)
        shape = q_BNTK.shape[:2]
        asked_BNTR, met_BNSR = q_BNTK @ k_NRK.transpose(-1, -2), k_BNSK @ q_NRK.transpose(-1, -2)
        met_BNST = met_BNSR.gather(-1, far_TS.T.expand(*shape, -1, -1))
        return asked_BNTR.gather(-1, far_TS.expand(*shape, -1, -1)) + met_BNST.transpose(-1, -2)
