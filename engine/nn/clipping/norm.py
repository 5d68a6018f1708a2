"""Clipping by norm: a gradient longer than the threshold becomes as long as it, all parameters
together.

What      g = g threshold / |g| where |g| > threshold: the direction stays
Source    Pascanu, Mikolov & Bengio, On the Difficulty of Training Recurrent Neural Networks, 2013,
          algorithm 1
Shapes    as in engine/nn/clipping/base.py
Differs   torch divides by |g| + 0.000001.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from torch import Tensor, nn

from engine.nn.clipping.base import Clipping, by_norm


@final
class Norm(Clipping):
    says = (
        "A gradient whose norm exceeds the threshold is scaled down to it; its direction"
        " stays the same."
    )

    def __call__(self, parameters: Sequence[nn.Parameter]) -> tuple[Tensor, Tensor]:
        return by_norm(parameters, self.threshold)


CLIPPING = Norm
