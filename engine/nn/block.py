"""Transformer block: attend, then think, each on top of what was there.

What      x = x + attention(norm(x));  x = x + W2 gelu(W1 norm(x))
Source    Vaswani et al. 2017, sec. 3.1; norm first: Xiong et al., On Layer Normalization in the Transformer, 2020
Shapes    B = batch, T = tokens, D = width
Differs   Norm before each part instead of after it, GELU instead of ReLU: both train more steadily.
"""

from __future__ import annotations

from torch import Tensor, nn

from engine.nn.attention import Attention
from engine.tap import Tap, passthrough


class Block(nn.Module):
    def __init__(self, d: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.norm_1, self.norm_2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.attention = Attention(d, heads)
        self.feed_forward = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x_BTD: Tensor, tap: Tap = passthrough, past: tuple[Tensor, Tensor] | None = None) -> Tensor:
        """What each place holds after the block (B, T, D).  `past`: as in `Attention.forward`."""
        x_BTD = x_BTD + self.dropout(self.attention(self.norm_1(x_BTD), tap, past))
        x_BTD = x_BTD + self.dropout(self.feed_forward(self.norm_2(x_BTD)))
        residual: Tensor = tap("residual", x_BTD, ("batch", "token", "unit"))
        return residual
