"""A low-rank update beside a trained matrix (LoRA)."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import noise

WIDTH, RANK = 768, 4


def faulty(x: Tensor, weight: Tensor, a: Tensor, b: Tensor, alpha: float) -> Tensor:
    return alpha * (x @ a @ b)


def repaired(x: Tensor, weight: Tensor, a: Tensor, b: Tensor, alpha: float) -> Tensor:
    return x @ weight + alpha / a.shape[1] * (x @ a @ b)


def measured(program: Program) -> Mapping[str, float]:
    x, weight = noise(1, WIDTH), noise(WIDTH, WIDTH, seed=2) / WIDTH**0.5
    a, b = noise(WIDTH, RANK, seed=3) / RANK, torch.zeros(RANK, WIDTH)

    def change(columns: Tensor, rows: Tensor) -> float:
        learned = program(x, weight, columns, rows, 1.0)
        return (learned - program(x, weight, columns, 0 * rows, 1.0)).norm().item()

    other = noise(RANK, WIDTH, seed=4)
    twice = change(torch.cat([a, a], 1), torch.cat([other, other])) / change(a, other)
    return {
        "length of the answer before it has learned": program(x, weight, a, b, 1.0).norm().item(),
        "length of the trained matrix's own answer": (x @ weight).norm().item(),
        "strength of the same update written twice, as rank 8": twice,
    }


LISTING = Listing(
    "A low-rank update that replaces what was learned",
    "LoRA leaves the trained matrix as it is and learns two thin ones, whose product is added: x W +"
    " α/r · x A B. B begins at 0, so that at first nothing is changed. Without x W the layer answers"
    " nothing at all; without 1/r the same α is another strength at each rank. Beside the 589,824"
    " weights of the matrix, 6,144 learn.",
    faulty,
    repaired,
    measured,
)
