"""A memory that is normalised before it is carried on."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor
from torch.nn.functional import layer_norm

from engine.analysis.listings.base import Listing, Program


def faulty(c: Tensor, f: Tensor, i: Tensor, g: Tensor, o: Tensor) -> tuple[Tensor, Tensor]:
    c = f * c + i * g
    c = layer_norm(c, c.shape)
    return o * c.tanh(), c


def repaired(c: Tensor, f: Tensor, i: Tensor, g: Tensor, o: Tensor) -> tuple[Tensor, Tensor]:
    c = f * c + i * g
    return o * layer_norm(c, c.shape).tanh(), c


def measured(program: Program) -> Mapping[str, float]:
    c, keep, write = torch.tensor([2.0, 2, 2, 5]), torch.ones(4), torch.zeros(4)
    for _ in range(10):
        _, c = program(c, keep, write, torch.ones(4), torch.ones(4))
    return {f"unit {n + 1} after 10 tokens, {v} before": c[n].item() for n, v in ((0, 2), (3, 5))}


LISTING = Listing(
    "A memory that cannot keep",
    "The forget gate is 1 and the input gate 0: the memory should stay as it is. Normalised at every"
    " token, what was stored is overwritten at the first. The layer-norm LSTM normalises what goes"
    " into the gates, and the memory only where it is shown.",
    faulty,
    repaired,
    measured,
)
