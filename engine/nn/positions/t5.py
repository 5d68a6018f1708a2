"""Relative bias of T5: each head learns one number per bucket of distances, and adds it to its
scores.

What      score(q, k) = q . key_k + b[bucket(k - q)]; short distances have a bucket each, long ones
          share, in steps of the logarithm
Source    Raffel et al., Exploring the Limits of Transfer Learning with a Unified Text-to-Text
          Transformer, 2020, sec. 2.1
Shapes    T = tokens that look, S = tokens looked at, N = heads
Differs   Nothing: 32 buckets up to a distance of 128, shared by all layers.
"""

from __future__ import annotations

import math
from typing import final

import torch
from torch import Tensor, nn

from engine.nn.positions.base import Frame, Position

BUCKETS, FARTHEST = 32, 128


def bucket(
    far: Tensor, both_ways: bool, buckets: int = BUCKETS, farthest: int = FARTHEST
) -> Tensor:
    """The bucket of each signed distance (key - query), int64.  With both ways half of them are for
    what comes after."""
    far = far.round().long()
    first = torch.zeros_like(far)
    if both_ways:
        buckets //= 2
        first = (far > 0).long() * buckets
        far = far.abs()
    else:
        far = (-far).clamp(min=0)
    exact = buckets // 2
    steps = (
        (far.float().clamp(min=1) / exact).log() / math.log(farthest / exact) * (buckets - exact)
    )
    shared = (exact + steps.long()).clamp(max=buckets - 1)
    return first + torch.where(far < exact, far, shared)


@final
class T5(Position):
    title, rank = "T5", 50
    about = (
        "T5: in every layer each head adds a learned number to the score, one for each bucket of"
        " distances."
    )
    says = "The learned number of that distance's bucket, added to the score."
    where, tells = "scores, every layer", "the bucket of the distance"
    learned, anywhere = "buckets × heads", "yes, if its far buckets were trained"
    used_by = "T5"

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame)
        self.table = nn.Embedding(BUCKETS, frame.heads)

    def bias(self, q_BNTK: Tensor, query_T: Tensor, key_S: Tensor) -> Tensor:
        at_TS = bucket(key_S[None] - query_T[:, None], self.frame.both_ways)
        b_TSN: Tensor = self.table(at_TS)
        return b_TSN.permute(2, 0, 1)[None]


POSITION = T5
