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

import torch
from torch import Tensor, nn


class Clipping(ABC):
    says: str
    varies = False  # whether the threshold does

    def __init__(self, threshold: float) -> None:
        self.threshold = threshold

    @abstractmethod
    def __call__(self, parameters: Sequence[nn.Parameter]) -> tuple[Tensor, Tensor]:
        """Cut the gradients in place; |g| before and after it, where the gradients lie: nothing
        waits for a GPU here."""

    def learn(self, after: float) -> None:  # noqa: B027  most have nothing to learn
        """What |g| was after it; where the threshold varies, the next one comes from that."""

    def state(self) -> dict[str, float]:
        """What a training that goes on has to know."""
        return {}

    def restore(self, state: Mapping[str, float]) -> None:  # noqa: B027
        """The same, back again."""


def norm(parameters: Sequence[nn.Parameter]) -> Tensor:
    return nn.utils.get_total_norm([p.grad for p in parameters if p.grad is not None])


def by_norm(parameters: Sequence[nn.Parameter], threshold: float) -> tuple[Tensor, Tensor]:
    """g = g threshold / |g| where |g| is larger: shorter, in the same direction."""
    before = nn.utils.clip_grad_norm_(parameters, threshold)
    return before, torch.clamp(before, max=threshold)
