"""The loss of GloVe over all pairs, those never seen too."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import noise

COUNTS = ((0.0, 12.0, 3.0), (12.0, 0.0, 1.0), (3.0, 1.0, 200.0))


def faulty(x: Tensor, w: Tensor, c: Tensor) -> Tensor:
    weight = (x / 100).clamp(max=1) ** 0.75
    error = w @ c.T - x.log()
    return (weight * error**2).sum()


def repaired(x: Tensor, w: Tensor, c: Tensor) -> Tensor:
    seen = x > 0
    weight = (x[seen] / 100).clamp(max=1) ** 0.75
    error = (w @ c.T)[seen] - x[seen].log()
    return (weight * error**2).sum()


def measured(program: Program) -> Mapping[str, float]:
    w = noise(3, 4).requires_grad_()
    loss = program(torch.tensor(COUNTS), w, noise(3, 4, seed=2))
    loss.backward()
    assert w.grad is not None
    lost = int(w.grad.isnan().sum())
    return {"loss": loss.item(), "gradients that are no number, of 12": lost}


LISTING = Listing(
    "The logarithm of 0",
    "A pair that was never seen has the weight 0 and the logarithm −∞, and 0 · ∞ is no number. One"
    " such pair makes the loss useless, and with the first step the vectors of its two words. The"
    " sum runs over the pairs that were seen.",
    faulty,
    repaired,
    measured,
)
