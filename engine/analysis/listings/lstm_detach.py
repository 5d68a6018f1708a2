"""The state carried from one part of a text to the next, with all that led to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import drawn, noise


def faulty(lstm: Callable[..., Any], parts: Sequence[Tensor]) -> None:
    state = None
    for part in parts:
        out, state = lstm(part, state)
        out.square().mean().backward()


def repaired(lstm: Callable[..., Any], parts: Sequence[Tensor]) -> None:
    state = None
    for part in parts:
        out, state = lstm(part, state)
        out.square().mean().backward()
        state = tuple(s.detach() for s in state)


def measured(program: Program) -> Mapping[str, float]:
    lstm = drawn(nn.LSTM(3, 4))
    program(lstm, noise(15, 3).split(5))
    gradients = torch.cat([p.grad.flatten() for p in lstm.parameters() if p.grad is not None])
    return {"length of the gradient after three parts": gradients.norm().item()}


LISTING = Listing(
    "A state carried on with its past",
    "The state of the second part still hangs on the computation of the first, which the first"
    " call of backward has thrown away. Detached, it keeps its numbers and loses its past:"
    " gradients end at the border of a part, as they should in truncated backpropagation. An LSTM"
    " has two states, so each is detached by itself.",
    faulty,
    repaired,
    measured,
)
