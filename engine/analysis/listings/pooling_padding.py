"""Attention over states that are padding."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import drawn, noise


def faulty(states: Tensor, lengths: Tensor, score: nn.Linear) -> tuple[Tensor, Tensor]:
    weights = score(states)[..., 0].softmax(-1)
    return weights, (weights[..., None] * states).sum(1)


def repaired(states: Tensor, lengths: Tensor, score: nn.Linear) -> tuple[Tensor, Tensor]:
    scores = score(states)[..., 0]
    padding = torch.arange(states.shape[1]) >= lengths[:, None]
    weights = scores.masked_fill(padding, -torch.inf).softmax(-1)
    return weights, (weights[..., None] * states).sum(1)


def measured(program: Program) -> Mapping[str, float]:
    score, lengths = drawn(nn.Linear(4, 1)), torch.tensor([5, 2])
    states = noise(2, 5, 4)
    states[1, 2:] = 0  # a line of two words, filled up
    with torch.no_grad():
        weights, pooled = program(states, lengths, score)
        _, alone = program(states[1:, :2], lengths[1:], score)
    return {
        "weight on padding": weights[1, 2:].sum().item(),
        "moved by the padding": (pooled[1] - alone[0]).abs().max().item(),
    }


LISTING = Listing(
    "Attention to padding",
    "Softmax gives every place some weight, those that only fill up a short line too. The pooled vector"
    " of a line then depends on how long the others of its batch are. Scores of padding have to be"
    " minus infinity.",
    faulty,
    repaired,
    measured,
)
