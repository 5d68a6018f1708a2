"""The matrices that make one head's queries, keys and values out of a token's vector.

What      q = n W_Q + b_Q, k = n W_K + b_K, v = n W_V + b_V with n = norm(x) where the norm comes
          first, else n = x
Source    Vaswani et al., Attention Is All You Need, 2017, sec. 3.2.2
Shapes    D = width of the stream, K = width of a head
Differs   A run keeps the three of all heads in one matrix; here one head's rows are cut out of it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from torch import nn

from engine.models.abilities import Attends


class Projection(NamedTuple):
    query_KD: np.ndarray
    key_KD: np.ndarray
    value_KD: np.ndarray
    bias_3K: np.ndarray
    gain_D: np.ndarray
    shift_D: np.ndarray


def numbers(of: Any) -> np.ndarray:
    found: np.ndarray = of.detach().float().cpu().numpy()
    return found


def projection(model: Any, layer: int, head: int) -> Projection | None:
    """None for a model that keeps its weights in another way."""
    if not isinstance(model, Attends):
        return None
    block = model.tower.block(layer)
    part, norm = block.attention, block.norm_1
    k, wide, narrow = part.dim, part.heads * part.dim, part.groups * part.dim
    group = head * part.groups // part.heads
    rows = [slice(a, a + k) for a in (head * k, wide + group * k, wide + narrow + group * k)]
    weight = numbers(part.qkv.weight)
    gain_D = np.ones(weight.shape[1], np.float32) if norm is None else numbers(norm.weight)
    bias = np.zeros(len(weight)) if part.qkv.bias is None else numbers(part.qkv.bias)
    shift = norm.bias if isinstance(norm, nn.LayerNorm) else None
    return Projection(
        *(weight[row] for row in rows),
        np.stack([bias[row] for row in rows]).astype(np.float32),
        gain_D,
        np.zeros_like(gain_D) if shift is None else numbers(shift),
    )
