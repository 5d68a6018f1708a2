"""A decoder of several layers that starts all of them in the state of one."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import drawn, noise

LAYERS, UNITS = 2, 3


def faulty(encoder: nn.GRU, source: Tensor) -> Tensor:
    _, last = encoder(source)
    return torch.stack([last[-1]] * encoder.num_layers)


def repaired(encoder: nn.GRU, source: Tensor) -> Tensor:
    _, last = encoder(source)
    state: Tensor = last
    return state


def measured(program: Program) -> Mapping[str, float]:
    encoder = drawn(nn.GRU(2, UNITS, LAYERS, batch_first=True))
    start = program(encoder, noise(1, 5, 2))
    return {
        "largest difference of the two layers' starts": (start[0] - start[1]).abs().max().item(),
        "numbers that reach the decoder": float(start.unique().numel()),
    }


LISTING = Listing(
    "One state for every layer",
    "The encoder hands on the state of its highest layer only, and each layer of the decoder starts"
    " in it. What the lower layers had kept of the sentence is lost, and the decoder's lower layer"
    " starts in numbers that were made for another one.",
    faulty,
    repaired,
    measured,
)
