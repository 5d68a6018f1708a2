"""Attention of a decoder that also looks at the filling."""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import noise


def faulty(score: Tensor, real: Tensor) -> Tensor:
    return score.softmax(-1)


def repaired(score: Tensor, real: Tensor) -> Tensor:
    return score.masked_fill(~real, -math.inf).softmax(-1)


def measured(program: Program) -> Mapping[str, float]:
    score, state = noise(5), noise(5, 4, seed=2)  # three words and two places of filling
    real = torch.arange(5) < 3
    weight = program(score, real)
    alone = score[:3].softmax(-1) @ state[:3]
    return {
        "weight on the filling": weight[3:].sum().item(),
        "away from the sentence alone": (weight @ state - alone).abs().max().item(),
    }


LISTING = Listing(
    "Attention to the filling",
    "In a batch a short sentence is filled up to the length of the longest. Without a mask the"
    " decoder gives weight to places where nothing stands, and a translation depends on the"
    " sentences that it shares a batch with. The encoder has to stop at the end of the sentence as"
    " well.",
    faulty,
    repaired,
    measured,
)
