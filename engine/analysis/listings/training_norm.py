"""The norm of gradients that are matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from engine.analysis.listings.base import Listing, Program


def faulty(gradients: Sequence[Tensor], most: float) -> Sequence[Tensor]:
    norm = sum(sum(g**2) for g in gradients) ** 0.5
    if norm > most:
        return [g * most / norm for g in gradients]
    return gradients


def repaired(gradients: Sequence[Tensor], most: float) -> Sequence[Tensor]:
    norm = sum((g**2).sum() for g in gradients) ** 0.5
    if norm > most:
        return [g * most / norm for g in gradients]
    return gradients


def measured(program: Program) -> Mapping[str, float]:
    clipped = program([torch.full((2, 2), 3.0), torch.full((2, 2), 4.0)], 5.0)
    whole = torch.cat([g.flatten() for g in clipped])
    return {"length after clipping, at most 5": whole.norm().item()}


LISTING = Listing(
    "A sum over the first axis only",
    "Python's sum adds up the rows of a matrix and gives a row, not a number. Of a vector it gives a"
    " number, so a test with vectors passes; with matrices, what is compared with the threshold is"
    " a row.",
    faulty,
    repaired,
    measured,
)
