"""Norms: each token's vector brought to one scale, and the numbers that were divided by.

What      layer: g * (x - mean) / sqrt(variance + e) + b; rms: g * x / sqrt(mean of x^2 + e); over
          the D numbers of one token
Source    Ba, Kiros & Hinton, Layer Normalization, 2016, eq. 3-4; Zhang & Sennrich, Root Mean Square
          Layer Normalization, 2019, eq. 4
Shapes    B = batch, T = tokens, D = width
Differs   Nothing: the variance is that of all D numbers (divided by D, not D - 1).
"""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor, nn

from engine.core.tap import Tap


def norm(kind: str, width: int, epsilon: float, bias: bool = True) -> nn.LayerNorm | nn.RMSNorm:
    """`kind` is "layer" or "rms"."""
    if kind == "rms":
        return nn.RMSNorm(width, epsilon)
    return nn.LayerNorm(width, epsilon, bias=bias)


def shift(part: nn.LayerNorm | nn.RMSNorm) -> Tensor | None:
    """What it adds (D,); None where it only multiplies."""
    return part.bias if isinstance(part, nn.LayerNorm) else None


def normed(
    part: nn.LayerNorm | nn.RMSNorm, x_BTD: Tensor, tap: Tap, name: str, axis: str = "token"
) -> Tensor:
    """What the norm makes of `x_BTD`; its mean and deviation are tapped as `name`.mean and
    .deviation.  An edit of `name` is one of the change that it makes: times 0 lets `x_BTD` through as it is."""

    def mean() -> Tensor:
        return x_BTD.mean(-1) if isinstance(part, nn.LayerNorm) else torch.zeros_like(x_BTD[..., 0])

    tap.derived(f"{name}.mean", mean, ("batch", axis))
    tap.derived(
        f"{name}.deviation",
        lambda: (x_BTD - mean()[..., None]).square().mean(-1).sqrt(),
        ("batch", axis),
    )
    found: Tensor = part(x_BTD)
    change = tap.switch(name, ("batch", axis, "unit"))
    return found if change is None else x_BTD + change(found - x_BTD)


def unnormed(x_BTD: Tensor, tap: Tap, name: str, axis: str = "token") -> None:
    """What is tapped where a norm is left out: 0 is subtracted, and divided by 1."""
    for kind, number in (("mean", 0.0), ("deviation", 1.0)):
        whole = partial(x_BTD.new_full, x_BTD.shape[:-1], number)
        tap.derived(f"{name}.{kind}", whole, ("batch", axis))
