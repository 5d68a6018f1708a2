"""The loss of a decoder over all places, the first too, which it never writes."""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from engine.analysis.listings.base import Listing, Program

VOCABULARY, LENGTH, SURE = 5_000, 12, 0.9


def faulty(score: Tensor, target: Tensor) -> Tensor:
    """score: texts, places, vocabulary; target: texts, places."""
    return cross_entropy(score.flatten(0, 1), target.flatten())


def repaired(score: Tensor, target: Tensor) -> Tensor:
    """score: texts, places, vocabulary; target: texts, places."""
    return cross_entropy(score[:, 1:].flatten(0, 1), target[:, 1:].flatten())


def measured(program: Program) -> Mapping[str, float]:
    target = torch.arange(LENGTH)[None]
    score = torch.zeros(1, LENGTH, VOCABULARY)
    lead = math.log(SURE * (VOCABULARY - 1) / (1 - SURE))  # makes the right token's share SURE
    score[0, torch.arange(1, LENGTH), target[0, 1:]] = lead
    loss = program(score, target).item()
    return {"loss per token": loss, "probability that it seems to give": math.exp(-loss)}


LISTING = Listing(
    "A first place that nobody wrote",
    "The table of answers begins with zeros, and the loop fills it from the second place on, for the"
    " first is the start mark. Over all places the loss holds ln 5000 = 8.52 for that one, whatever"
    f" the net does: here it gives every right token {SURE:.0%}, and the loss does not show it.",
    faulty,
    repaired,
    measured,
)
