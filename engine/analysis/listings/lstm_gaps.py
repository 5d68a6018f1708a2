"""Values that were measured at irregular times, for an LSTM."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import drawn, noise


def faulty(values: Tensor, days: Tensor) -> Tensor:
    return values[:, None]


def repaired(values: Tensor, days: Tensor) -> Tensor:
    since = torch.diff(days, prepend=days[:1])
    return torch.stack([values, since.log1p()], -1)


def measured(program: Program) -> Mapping[str, float]:
    values, days = noise(6), torch.tensor([0.0, 1, 2, 3, 4, 5])
    later = days.clone()
    later[-1] = 365

    def state(at: Tensor) -> Tensor:
        read = program(values, at)
        return drawn(nn.LSTM(read.shape[-1], 8))(read)[0][-1]

    with torch.no_grad():
        moved = (state(later) - state(days)).abs().max().item()
        again = (state(days + 100) - state(days)).abs().max().item()
    return {
        "moved by a year before the last value": moved,
        "moved by another first day": again,
    }


LISTING = Listing(
    "A day or a year in between",
    "An LSTM counts steps, not time. Whether the last value came a day or a year after the one before,"
    " its states are the same, unless the gap is read beside the value.",
    faulty,
    repaired,
    measured,
)
