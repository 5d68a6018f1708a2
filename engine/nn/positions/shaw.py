"""Relative positions after Shaw: a learned vector for each distance, which the query is compared
with as well.

What      score(q, k) = q . (key_k + a_{clip(k - q)}) / sqrt(K), the distance cut at -REACH and
          REACH
Source    Shaw, Uszkoreit & Vaswani, Self-Attention with Relative Position Representations, 2018,
          eq. 4
Shapes    B = batch, T = tokens that look, S = tokens looked at, N = heads, K = width of a head
Differs   On the keys only, without the vectors for values of eq. 3; shared by all heads and layers.
"""

from __future__ import annotations

import math
from typing import final

from torch import Tensor, nn

from engine.nn.positions.base import Frame, Position

REACH = 16


@final
class Shaw(Position):
    title, rank = "Shaw", 40
    about = (
        "Shaw: in every layer a query is compared with the key and also with a learned vector for"
        " the distance, cut off at 16."
    )
    says = "What the query's match with the vector of that distance adds to the score."
    where, tells = "scores, every layer", "the distance up to a reach"
    learned, anywhere = "(2 · reach + 1) × K", "yes: far is far"
    used_by = "Transformer of 2018, Music Transformer"
    asks = True

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame)
        self.table = nn.Embedding(2 * REACH + 1, frame.dim)

    def bias(self, q_BNTK: Tensor, query_T: Tensor, key_S: Tensor) -> Tensor:
        far_TS = (key_S[None] - query_T[:, None]).round().long().clamp(-REACH, REACH) + REACH
        # (B, N, T, 2 * REACH + 1): few numbers, looked up per pair
        by_distance = q_BNTK @ self.table.weight.T
        b, n = q_BNTK.shape[:2]
        return by_distance.gather(-1, far_TS.expand(b, n, -1, -1)) / math.sqrt(self.frame.dim)


POSITION = Shaw
