"""A bracket that closes too early: the bias of the hidden layer is added to the probabilities."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from engine.analysis.listings.base import Listing, Program

X = torch.tensor([0.6, -0.2, 0.1, 0.4])  # the vectors of two words, side by side
W1 = torch.tensor([[0.5, -0.3, 0.2, 0.1], [-0.4, 0.2, 0.6, -0.1], [0.3, 0.1, -0.2, 0.5]])
B1 = torch.tensor([0.3, 0.2, -0.4])
W2 = torch.tensor([[0.7, -0.2, 0.1], [0.1, 0.5, -0.6], [-0.3, 0.4, 0.2]])
B2 = torch.tensor([0.1, 0.0, -0.1])


def faulty(x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor) -> Tensor:
    h = torch.tanh(w1 @ x)
    return torch.softmax(w2 @ h + b2, -1) + b1


def repaired(x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor) -> Tensor:
    h = torch.tanh(w1 @ x + b1)
    return torch.softmax(w2 @ h + b2, -1)


def measured(program: Program) -> Mapping[str, float]:
    p = program(X, W1, B1, W2, B2)
    return {"sum of the probabilities": p.sum().item(), "the smallest of them": p.min().item()}


LISTING = Listing(
    "A bias outside the softmax",
    "The bias of the hidden layer is added behind the softmax, to the probabilities. Nothing fails as"
    " long as there are as many units as words, but the answers no longer sum to 1, and one of them is"
    " below 0. Inside tanh, where it belongs, the same bias does no such harm.",
    faulty,
    repaired,
    measured,
)
