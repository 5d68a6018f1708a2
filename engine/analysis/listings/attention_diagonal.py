"""A causal mask that hides the token itself as well."""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import noise


def faulty(score: Tensor) -> Tensor:
    may = torch.ones_like(score).tril(-1).bool()
    return score.masked_fill(~may, -math.inf).softmax(-1)


def repaired(score: Tensor) -> Tensor:
    may = torch.ones_like(score).tril().bool()
    return score.masked_fill(~may, -math.inf).softmax(-1)


def measured(program: Program) -> Mapping[str, float]:
    weight = program(noise(4, 4))
    return {f"weights of token {t + 1}, their sum": weight[t].sum().item() for t in range(3)}


LISTING = Listing(
    "Only what stands below the diagonal",
    "The first token may then look at nothing at all: all its scores are −∞, and a softmax of these"
    " is no number. From the next layer on every token that looks at it is no number either. A"
    " token may look at itself; what it must not see is the next one.",
    faulty,
    repaired,
    measured,
)
