"""Feed-forward part: the same small net for every token by itself.

What      W2 f(W1 x + b1) + b2; gated: W2 (f(Wg x) * W1 x), which is SwiGLU for f = silu and GEGLU
          for f = gelu, as geglu_erf by the error function
Source    Vaswani et al. 2017, sec. 3.3; gated: Shazeer, GLU Variants Improve Transformer, 2020, eq.
          6
Shapes    B = batch, T = tokens, D = width, F = inner width
Differs   GELU by the error function, or by the tanh that GPT-2 has.
"""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor, nn
from torch.nn import functional as F

from engine.core.tap import Tap, passthrough
from engine.nn.packed import Linear

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu,
}
GATED = {"swiglu": "silu", "geglu": "gelu_tanh", "geglu_erf": "gelu"}


class FeedForward(nn.Module):
    def __init__(self, d: int, inner: int, activation: str, bias: bool = True) -> None:
        super().__init__()
        self.bend = ACTIVATIONS[GATED.get(activation, activation)]
        self.up, self.down = Linear(d, inner, bias), Linear(inner, d, bias)
        self.gate = Linear(d, inner, bias) if activation in GATED else None

    def forward(
        self, x_BTD: Tensor, tap: Tap = passthrough, axis: str = "token", prefix: str = ""
    ) -> Tensor:
        """(B, T, D)."""
        up_BTF = self.up(x_BTD)
        act_BTF = self.bend(up_BTF) if self.gate is None else self.bend(self.gate(x_BTD)) * up_BTF
        act_BTF = tap(f"{prefix}feed_forward.activation", act_BTF, ("batch", axis, "unit"))
        out_BTD: Tensor = self.down(act_BTF)
        return out_BTD
