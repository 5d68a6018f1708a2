"""Steps without the gradients set back to 0."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import Descent


def faulty(w: Tensor, optimiser: Descent, steps: int) -> None:
    for _ in range(steps):
        loss = (w**2).sum()
        loss.backward()
        optimiser.step()


def repaired(w: Tensor, optimiser: Descent, steps: int) -> None:
    for _ in range(steps):
        optimiser.zero_grad()
        loss = (w**2).sum()
        loss.backward()
        optimiser.step()


def measured(program: Program) -> Mapping[str, float]:
    found = {}
    for steps in (2, 5, 20):
        w = torch.tensor([1.0], requires_grad=True)
        program(w, Descent([w], lr=0.1), steps)
        found[f"w after {steps} steps"] = w.item()
    return found


LISTING = Listing(
    "Gradients that pile up",
    "Backward adds to the gradients that are there. Without setting them back each step follows the"
    " sum of all gradients so far, as with a momentum that never fades. The lowest place is w = 0;"
    " the sum runs through it and back, again and again.",
    faulty,
    repaired,
    measured,
)
