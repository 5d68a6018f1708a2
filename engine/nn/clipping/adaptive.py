"""Adaptive clipping: a gradient is too long when it is twice as long as gradients have been of
late.

What      threshold_t = 2 mean_{t-1};  g = g threshold_t / |g| where |g| > threshold_t;  mean_t =
          0.99 mean_{t-1} + 0.01 |g after it|
          mean_0 is half of the first threshold
Source    Pascanu, Mikolov & Bengio, On the Difficulty of Training Recurrent Neural Networks, 2013,
          sec. 3.2: the average norm over many updates is a good guide, from half of it to ten times
          it
Shapes    as in engine/nn/clipping/base.py
Differs   A gradient is measured by those before it and enters the mean as it is after the cut, so
          one that explodes can't raise the threshold it is held against, and the next one by 1 % at
          most.  Twice the mean: at the mean about half of all steps would be cut.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, final

from torch import Tensor, nn

from engine.nn.clipping.base import Clipping, by_norm

KEPT, TIMES = 0.99, 2.0


@final
class Adaptive(Clipping):
    says = "Gradients are clipped at twice the mean norm of the previous ones."
    varies = True

    def __call__(self, parameters: Sequence[nn.Parameter]) -> tuple[Tensor, Tensor]:
        return by_norm(parameters, self.threshold)

    def learn(self, after: Any) -> None:
        self.threshold = KEPT * self.threshold + (1 - KEPT) * TIMES * after

    def state(self) -> dict[str, float]:
        return {"threshold": float(self.threshold)}

    def restore(self, state: Mapping[str, float]) -> None:
        self.threshold = state["threshold"]


CLIPPING = Adaptive
