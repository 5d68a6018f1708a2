"""Clipping by value: each number of the gradient stays within the threshold, for itself.

What      g_i = max(-threshold, min(threshold, g_i)): the direction changes
Source    Mikolov, Statistical Language Models Based on Neural Networks, 2012 (thesis), as told by
          Pascanu et al., 2013, sec. 3.2
Shapes    as in engine/nn/clipping/base.py
Differs   Nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from torch import Tensor, nn

from engine.nn.clipping.base import Clipping, norm


@final
class Value(Clipping):
    says = "Each number of the gradient is clipped separately; the direction changes."

    def __call__(self, parameters: Sequence[nn.Parameter]) -> tuple[Tensor, Tensor]:
        before = norm(parameters)
        nn.utils.clip_grad_value_(parameters, float(self.threshold))  # it never varies
        return before, norm(parameters)


CLIPPING = Value
