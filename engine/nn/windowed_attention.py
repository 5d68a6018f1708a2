"""Windowed attention: attention of a short window in half the digits, written out in two products; training on a
processor is faster with it.

What      softmax(q k^T s + mask) v; torch's fused kernel, made for long texts, takes 1.5 times as
          long for forward and backward pass together at 256 tokens and 4 times as long at 64, in
          bfloat16
Source    Vaswani et al., Attention Is All You Need, 2017, eq. 1
Shapes    B = batch, N = heads, T = tokens that look, S = tokens looked at, K = width of a head
Differs   Scores and weights are rounded to bfloat16, which the fused kernel only does with weights;
          gradients are as near to those of float32.  In float32 the fused kernel is the faster one,
          and past LONGEST the weights take too much memory.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

LONGEST = 256


def is_faster(q_BNTK: Tensor, s: int) -> bool:
    """In training on a processor with half the digits, where both texts are short."""
    halved = q_BNTK.device.type == "cpu" and torch.is_autocast_enabled("cpu")
    return halved and torch.is_grad_enabled() and max(q_BNTK.shape[2], s) <= LONGEST


def read(
    q_BNTK: Tensor, k_BNSK: Tensor, v_BNSK: Tensor, may_TS: Tensor | None, scale: float
) -> Tensor:
    """What every token reads (B, N, T, K); every token may look at one at least."""
    score_BNTS = q_BNTK * scale @ k_BNSK.transpose(-1, -2)
    if may_TS is not None:
        score_BNTS = score_BNTS.masked_fill_(~may_TS, -math.inf)
    return score_BNTS.softmax(-1) @ v_BNSK
