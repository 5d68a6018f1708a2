"""Batches gathered in fours, and two that are left over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import Descent

BATCHES, TOGETHER = 10, 4


def faulty(w: Tensor, batches: Sequence[Tensor], optimiser: Descent) -> None:
    for n, batch in enumerate(batches):
        ((w * batch).sum() / TOGETHER).backward()
        if (n + 1) % TOGETHER == 0:
            optimiser.step()
            optimiser.zero_grad()


def repaired(w: Tensor, batches: Sequence[Tensor], optimiser: Descent) -> None:
    for first in range(0, len(batches), TOGETHER):
        group = batches[first : first + TOGETHER]
        for batch in group:
            ((w * batch).sum() / len(group)).backward()
        optimiser.step()
        optimiser.zero_grad()


def measured(program: Program) -> Mapping[str, float]:
    w = torch.zeros(BATCHES, requires_grad=True)
    program(w, tuple(torch.eye(BATCHES)), Descent([w], lr=1.0))
    return {"batches, of 10, that moved a weight": int((w != 0).sum())}


LISTING = Listing(
    "The last batches, which fill no group",
    "A step is taken after every fourth batch. Ten batches are two groups of four and two that are"
    " left: their gradients are computed and never used, unless the next round adds them to its own."
    " A last group of two is divided by two.",
    faulty,
    repaired,
    measured,
)
