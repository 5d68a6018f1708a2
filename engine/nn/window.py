"""Sliding window, block by block: the work grows with the length times the window, not with the
square of the length.

What      blocks of queries, each over its own keys and those at most a window before them; fused
          attention within a block
Source    Beltagy, Peters & Cohan, Longformer: The Long-Document Transformer, 2020, sec. 3.1
Shapes    B = batch, N = heads, T = tokens, K = width of a head
Differs   Causal only, every layer with the same window.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

BLOCK = 64  # at the least: smaller blocks cost more to start than they save


def read(
    q_BNTK: Tensor, k_BNTK: Tensor, v_BNTK: Tensor, window: int, scale: float | None = None
) -> Tensor:
    """What every token reads (B, N, T, K) of itself and the window - 1 tokens before it."""
    t, size, parts = q_BNTK.shape[2], max(window, BLOCK), []
    for first in range(0, t, size):
        begin, stop = max(0, first - window + 1), min(first + size, t)
        far = torch.arange(first, stop, device=q_BNTK.device)[:, None] - torch.arange(
            begin, stop, device=q_BNTK.device
        )
        k, v = k_BNTK[:, :, begin:stop], v_BNTK[:, :, begin:stop]
        parts.append(
            F.scaled_dot_product_attention(
                q_BNTK[:, :, first:stop], k, v, attn_mask=(far >= 0) & (far < window), scale=scale
            )
        )
    return torch.cat(parts, 2)
