"""A mask of -1e9 in numbers of 16 bits."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import noise


def faulty(score: Tensor, may: Tensor) -> Tensor:
    return score.masked_fill(~may, -1e9).softmax(-1)


def repaired(score: Tensor, may: Tensor) -> Tensor:
    return score.masked_fill(~may, torch.finfo(score.dtype).min).softmax(-1)


def measured(program: Program) -> Mapping[str, float]:
    weight = program(noise(4, 4).half(), torch.ones(4, 4, dtype=torch.bool).tril())
    return {
        "weight on later tokens": weight.triu(1).sum().item(),
        "weight of the last row": weight[-1].sum().item(),
    }


LISTING = Listing(
    "A number too large for 16 bits",
    "Half precision ends at 65,504, so there is no −1e9 in it, and a program that ran in 32 bits"
    " stops. Elsewhere the notes add −10,000, which fits; but added to a whole row it changes"
    " nothing, and a row that is all filling is then not masked. The lowest number of the type in"
    " use always fits.",
    faulty,
    repaired,
    measured,
)
