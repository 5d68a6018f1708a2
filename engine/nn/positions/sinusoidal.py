"""Sinusoidal positions: a row of clocks, each slower than the one before.

What      PE(p, 2i) = sin(p / base^(2i/D)), PE(p, 2i+1) = cos(p / base^(2i/D)), for the pairs i = 0
          .. D/2 - 1 embeddings are multiplied by the root of D before it is added: they start
          small, and waves of size 1 would drown them
Source    Vaswani et al., Attention Is All You Need, 2017, sec. 3.4 and 3.5
Shapes    T = tokens, D = width
Differs   Nothing.
"""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor

from engine.nn.positions.base import Frame, Position


def waves(place_T: Tensor, width: int, base: float = 10_000.0) -> Tensor:
    """(T, D), sine and cosine of each pair side by side."""
    speed_I = base ** (
        -torch.arange(0, width, 2, device=place_T.device, dtype=torch.float64) / width
    )
    angle_TI = place_T.double()[:, None] * speed_I
    return torch.stack((angle_TI.sin(), angle_TI.cos()), -1).flatten(1)[:, :width].float()


@final
class Sinusoidal(Position):
    title, rank = "Sinusoidal", 20
    about = (
        "Sinusoidal: waves are added to each token's vector, once, before the first layer. Each"
        " pair of numbers is the hand of a clock; every clock is slower than the one before."
    )
    says = "How alike the waves of the two places are: 1 is the same."
    where, tells = "added to the embeddings, once", "the place; distances as rotations of pairs"
    learned, anywhere = "0", "defined"
    used_by = "Transformer of 2017"

    @property
    def turning(self) -> int:
        return self.frame.width

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame)
        self.gain = frame.width**0.5

    def embed(self, place_T: Tensor) -> Tensor:
        return waves(place_T, self.frame.width, self.frame.base)


POSITION = Sinusoidal
