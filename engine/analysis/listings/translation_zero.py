"""Weights that only ever see zeros."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import drawn


def faulty(project: nn.Linear, start: Tensor) -> Tensor:
    first: Tensor = project(torch.zeros_like(start))
    return first


def repaired(project: nn.Linear, start: Tensor) -> Tensor:
    first: Tensor = project(start)
    return first


def measured(program: Program) -> Mapping[str, float]:
    project = drawn(nn.Linear(3, 4))
    start = torch.tensor([1.0, 0.0, 0.0])  # one-hot: the mark of the beginning
    program(project, start).square().sum().backward()
    weight, bias = (p.grad for p in project.parameters())
    assert weight is not None and bias is not None
    return {"gradient of the weights": weight.norm().item(), "of the bias": bias.norm().item()}


LISTING = Listing(
    "A layer fed with zeros",
    "The decoder begins with a vector of zeros, sent through a layer of weights. What is multiplied"
    " by 0 has no gradient: the weights stay as they were drawn, however long one trains, and only"
    " the bias learns. A start mark is a token like any other, with a vector of its own.",
    faulty,
    repaired,
    measured,
)
