"""A context from which an axis of one number is taken away, of the wrong kind."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import noise

TEXTS, WORDS = 4, 5


def faulty(weight: Tensor, state: Tensor, word: Tensor) -> Tensor:
    """weight: texts, 1, source; state: texts, source, units; word: texts, width."""
    context = torch.bmm(weight, state).squeeze(1)
    context = context.squeeze(1)
    return torch.cat((word, context), 1)


def repaired(weight: Tensor, state: Tensor, word: Tensor) -> Tensor:
    """weight: texts, 1, source; state: texts, source, units; word: texts, width."""
    context = torch.bmm(weight, state).squeeze(1)
    return torch.cat((word, context), 1)


def measured(program: Program) -> Mapping[str, float]:
    weight = noise(TEXTS, 1, WORDS).softmax(-1)
    wide = {}
    for units in (3, 1):
        made = program(weight, noise(TEXTS, WORDS, units, seed=2), noise(TEXTS, 2, seed=3))
        wide[f"numbers that the cell reads, {units} units"] = float(made.shape[1])
    return wide


LISTING = Listing(
    "One squeeze too many",
    "The context has lost its axis of one step already; the second squeeze does nothing, as long as"
    " there are several units. With one unit it takes away the axis of the units, and what is left"
    " can't be joined to the word.",
    faulty,
    repaired,
    measured,
)
