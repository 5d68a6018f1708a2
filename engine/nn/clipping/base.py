"""Clipping: cut a gradient that is too large, so that one steep place does not throw the weights
far away.

What      a file of this folder says what too large is, and what becomes of it
Source    Pascanu, Mikolov & Bengio, On the Difficulty of Training Recurrent Neural Networks, 2013,
          sec. 3.2
Shapes    g = all gradients of a net in one row; |g| = sqrt(sum g_i^2), its norm
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn


class Clipping(ABC):
    says: str
    varies = False  # whether the threshold does

    threshold: float | Tensor
    """A tensor once it has been learned from numbers on a device."""

    def __init__(self, threshold: float) -> None:
        self.threshold = threshold

    @abstractmethod
    def __call__(self, parameters: Sequence[nn.Parameter]) -> tuple[Tensor, Tensor]:
        """Cut the gradients in place; |g| before and after it, where the gradients lie: nothing
        waits for a GPU here."""

    def learn(self, after: Any) -> None:  # noqa: B027  most have nothing to learn
        """What |g| was after it, a float or a tensor (); where the threshold varies, the next one
        comes from that."""

    def learn_there(self, before: Tensor, after: Tensor) -> None:
        """`learn`, where the numbers lie; nothing from a gradient that is no number."""
        threshold = self.threshold
        self.learn(after.double())
        if self.varies:
            self.threshold = torch.where(before.isfinite(), self.threshold, threshold)

    def state(self) -> dict[str, float]:
        """What a training that goes on has to know."""
        return {}

    def restore(self, state: Mapping[str, float]) -> None:  # noqa: B027
        """The same, back again."""


def norm(parameters: Sequence[nn.Parameter]) -> Tensor:
    return nn.utils.get_total_norm([p.grad for p in parameters if p.grad is not None])


def by_norm(parameters: Sequence[nn.Parameter], threshold: float | Tensor) -> tuple[Tensor, Tensor]:
    """g = g threshold / |g| where |g| is larger: shorter, in the same direction."""
    if isinstance(threshold, Tensor):  # torch's own would ask the device for it
        before, held_to = norm(parameters), threshold.float()
        share = ((before + 1e-6).reciprocal() * held_to).clamp(max=1.0)
        torch._foreach_mul_([p.grad for p in parameters if p.grad is not None], share)
        return before, torch.clamp(before, max=held_to)
    before = nn.utils.clip_grad_norm_(parameters, threshold)
    return before, torch.clamp(before, max=threshold)
