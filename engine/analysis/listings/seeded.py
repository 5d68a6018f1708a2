"""What listings are run on: nets and numbers that a seed alone decides, and steps down a gradient."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import torch
from torch import Tensor, nn

N = TypeVar("N", bound=nn.Module)


def drawn(net: N, seed: int = 0) -> N:
    """With numbers between -0.5 and 0.5 that the seed alone decides."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for part in net.parameters():
            part.copy_(torch.rand(part.shape, generator=generator) - 0.5)
    return net


def noise(*shape: int, seed: int = 1) -> Tensor:
    """Standard normal numbers that the seed alone decides."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


class Descent:
    """Steps down the gradient, called as torch's optimisers are: to import those takes seconds."""

    def __init__(self, parameters: Iterable[Tensor], lr: float) -> None:
        self.parameters, self.lr = list(parameters), lr

    def zero_grad(self) -> None:
        for part in self.parameters:
            part.grad = None

    @torch.no_grad()
    def step(self) -> None:
        for part in self.parameters:
            if part.grad is not None:
                part -= self.lr * part.grad
