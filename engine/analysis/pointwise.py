"""The feed-forward part of a layer written as convolutions along the text: a kernel that covers one
token.

What      conv1d(x, W)_t = sum over k of W_k x_t+k + b; with one k that is W x_t + b, the dense layer
Source    Vaswani et al., Attention Is All You Need, 2017, sec. 3.3 (“two convolutions with kernel size
          1”)
Shapes    T = tokens, D = width, F = inner width, k = tokens that a kernel covers
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from engine.core.trace import Trace
from engine.models.abilities import Attends
from engine.nn.block import Block
from engine.nn.feed_forward import FeedForward

FIELDS = ("residual.before", "residual.middle", "feed_forward.output")


@dataclass(frozen=True, slots=True, eq=False)
class Both:
    """dense_TD, convolved_TD: the output of the feed-forward part of a layer, as the model makes it
    and by convolutions."""

    dense_TD: np.ndarray
    convolved_TD: np.ndarray

    @property
    def apart(self) -> float:
        """The largest difference of two numbers."""
        return float(np.abs(self.dense_TD - self.convolved_TD).max())


def block(model: Attends[Any], layer: int) -> Block:
    """Counted from 0; negative from the end."""
    found = model.tower.blocks[layer % len(model.tower.blocks)]
    assert isinstance(found, Block)
    return found


@torch.inference_mode()
def both(model: Attends[Any], trace: Trace, layer: int) -> Both:
    """Of the tokens of a trace that has `FIELDS`."""
    of, design = block(model, layer), model.tower.design
    name = "residual.before" if design.parallel else "residual.middle"
    x_TD = torch.from_numpy(trace.field(name).values[layer].copy())
    x_TD = x_TD.to(next(of.parameters()).device)
    read_TD = of.norm_2(x_TD) if design.first else x_TD
    found_TD = convolved(of.feed_forward, read_TD).cpu().numpy()
    return Both(trace.field("feed_forward.output").values[layer], found_TD)


def convolved(part: FeedForward, x_TD: Tensor, wide: int = 1) -> Tensor:
    """(T, D): its layers as convolutions whose kernels cover `wide` tokens, odd; beside the middle
    one their weights are 0."""
    x_DT = x_TD.T[None]
    up_FT = _slid(part.up, x_DT, wide)
    act_FT = (
        part.bend(up_FT) if part.gate is None else part.bend(_slid(part.gate, x_DT, wide)) * up_FT
    )
    return _slid(part.down, act_FT, wide)[0].T


def _slid(dense: nn.Linear, x_DT: Tensor, wide: int) -> Tensor:
    kernel_FDK = F.pad(dense.weight[..., None], (wide // 2, wide // 2))
    return F.conv1d(x_DT, kernel_FDK, dense.bias, padding=wide // 2)


def learned(part: FeedForward, wide: int) -> int:
    """Numbers that its layers learn as convolutions over so many tokens."""
    layers = [layer for layer in (part.up, part.gate, part.down) if layer is not None]
    biases = sum(layer.bias.numel() for layer in layers if layer.bias is not None)
    return wide * sum(layer.weight.numel() for layer in layers) + biases


def reads(wide: int) -> int:
    """Tokens that one output of two convolutions after each other depends on."""
    return 1 + 2 * (wide - 1)
