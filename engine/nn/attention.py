"""Causal multi-head self-attention, every weight in the open.

What      A = softmax(q k^T / sqrt(K) + mask); each token reads sum_k A[q, k] v[k], in N heads side by side
Source    Vaswani et al., Attention Is All You Need, 2017, sec. 3.2.1 and 3.2.2
Shapes    B = batch, T = tokens, D = width, N = heads, K = width of a head (D / N)
Differs   No dropout on the weights.  Training goes through torch's fused kernel, which returns no weights;
          a run that is watched computes the same numbers in the open, once.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from engine.tap import Tap, passthrough

PAIR = ("batch", "head", "query", "key")
PART = ("batch", "head", "token", "dim")


class Attention(nn.Module):
    def __init__(self, d: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(d, 3 * d), nn.Linear(d, d)

    def forward(self, x_BTD: Tensor, tap: Tap = passthrough, past: tuple[Tensor, Tensor] | None = None) -> Tensor:
        """Readings (B, T, D).  `past`: keys and values (B, N, P, K) of the P tokens before these; then S = P + T."""
        b, t, d = x_BTD.shape
        q_BNTK, k_BNTK, v_BNTK = self.qkv(x_BTD).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        q_BNTK, k_BNTK = tap("query", q_BNTK, PART), tap("key", k_BNTK, PART)
        v_BNTK = tap("value", v_BNTK, PART)
        if tap is passthrough:
            read_BNTK = F.scaled_dot_product_attention(q_BNTK, k_BNTK, v_BNTK, is_causal=True)
        else:
            k_BNSK, v_BNSK = (torch.cat(both, 2) for both in zip(past, (k_BNTK, v_BNTK), strict=True)) if past else (k_BNTK, v_BNTK)
            s = k_BNSK.shape[2]
            score_BNTS = q_BNTK @ k_BNSK.transpose(-1, -2) / math.sqrt(d // self.heads)
            future_TS = torch.ones(t, s, dtype=torch.bool, device=x_BTD.device).triu(1 + s - t)
            score_BNTS = tap("score", score_BNTS.masked_fill_(future_TS, -math.inf), PAIR)
            look_BNTS = tap("attention", score_BNTS.softmax(-1), PAIR)
            read_BNTK = look_BNTS @ v_BNSK
        out: Tensor = self.out(read_BNTK.transpose(1, 2).reshape(b, t, d))
        return out
