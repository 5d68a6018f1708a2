"""Two halves of a state that shall be recomputed instead of stored."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import drawn, noise

STEPS = 50


def faulty(f: nn.Module, g: nn.Module, x1: Tensor, x2: Tensor, back: bool) -> tuple[Tensor, Tensor]:
    if back:
        return x1 - f(x2), x2 - g(x1)
    return x1 + f(x2), x2 + g(x1)


def repaired(
    f: nn.Module, g: nn.Module, x1: Tensor, x2: Tensor, back: bool
) -> tuple[Tensor, Tensor]:
    if back:
        x2 = x2 - g(x1)
        return x1 - f(x2), x2
    x1 = x1 + f(x2)
    return x1, x2 + g(x1)


def measured(program: Program) -> Mapping[str, float]:
    found = {}
    for called, kind in (("float32", torch.float32), ("float64", torch.float64)):
        f, g = (nn.Sequential(drawn(nn.Linear(8, 8), seed), nn.Tanh()).to(kind) for seed in (0, 1))
        start = halves = tuple(noise(3, 8, seed=seed).to(kind) for seed in (2, 3))
        with torch.no_grad():
            for back in (False, True):
                for _ in range(STEPS):
                    halves = program(f, g, *halves, back)
        wrong = max((a - b).abs().max().item() for a, b in zip(start, halves, strict=True))
        found[f"start missed by, {called}"] = wrong
    return found


LISTING = Listing(
    "A net that shall run backwards",
    "Fifty steps forwards and fifty back: a net whose steps can be undone stores none of its states and"
    " computes them again. Both halves changed at once cannot be undone, for what was added to one came"
    " from the other as it was. One after the other they can, up to rounding.",
    faulty,
    repaired,
    measured,
)
