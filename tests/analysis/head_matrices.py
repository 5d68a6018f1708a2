"""Projection: the matrices that make one head's queries, keys and values out of a token's vector.

What      q = n W_Q + b_Q, k = n W_K + b_K, v = n W_V + b_V with n = norm(x) where the norm comes
          first, else n = x
Source    Vaswani et al., Attention Is All You Need, 2017, sec. 3.2.2
Shapes    D = width of the stream, K = width of a head
Differs   A run keeps the three of all heads in one matrix; here one head's rows are cut out of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from torch import nn

from engine.models.abilities import Attends

if TYPE_CHECKING:
    from engine.models.base import Model


@dataclass(frozen=True, eq=False)
class Projection:
    query_KD: np.ndarray
    key_KD: np.ndarray
    value_KD: np.ndarray
    bias_3K: np.ndarray
    gain_D: np.ndarray
    shift_D: np.ndarray

    @property
    def dim(self) -> int:
        return len(self.query_KD)

    @property
    def width(self) -> int:
        return self.query_KD.shape[1]

    def parts(self) -> tuple[np.ndarray, ...]:
        return self.query_KD, self.key_KD, self.value_KD, self.bias_3K, self.gain_D, self.shift_D


def projection(model: Model[Any], layer: int, head: int) -> Projection | None:
    """None for a model that keeps its weights in another way."""
    if not isinstance(model, Attends):
        return None
    block = model.tower.block(layer)
    part, norm = block.attention, block.norm_1
    k, wide, narrow = part.dim, part.heads * part.dim, part.groups * part.dim
    group = head * part.groups // part.heads
    starts = (head * k, wide + group * k, wide + narrow + group * k)
    weight = part.qkv.weight.detach().float().cpu().numpy()
    bias = (
        np.zeros(len(weight), np.float32)
        if part.qkv.bias is None
        else part.qkv.bias.detach().float().cpu().numpy()
    )
    query_KD, key_KD, value_KD = (weight[start : start + k] for start in starts)
    gain_D, shift_D = (
        norm.weight.detach().float().cpu().numpy(),
        norm.bias if isinstance(norm, nn.LayerNorm) else None,
    )
    return Projection(
        query_KD,
        key_KD,
        value_KD,
        np.stack([bias[start : start + k] for start in starts]),
        gain_D,
        np.zeros_like(gain_D) if shift_D is None else shift_D.detach().float().cpu().numpy(),
    )
