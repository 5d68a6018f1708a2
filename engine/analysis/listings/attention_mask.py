"""A mask of filling, (texts, tokens), put before scores of (texts, heads, from, to)."""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import noise

REAL = ((True, True, True, True), (True, True, False, False))


def faulty(score: Tensor, real: Tensor) -> Tensor:
    may = real.unsqueeze(1)
    return score.masked_fill(~may, -math.inf).softmax(-1)


def repaired(score: Tensor, real: Tensor) -> Tensor:
    may = real[:, None, None]
    return score.masked_fill(~may, -math.inf).softmax(-1)


def measured(program: Program) -> Mapping[str, float]:
    weight = program(noise(2, 2, 4, 4), torch.tensor(REAL))
    return {
        "filling of text 2, seen by head 1": weight[1, 0, 0, 2:].sum().item(),
        "last two tokens of text 1, seen by head 2": weight[0, 1, 0, 2:].sum().item(),
    }


LISTING = Listing(
    "A mask that lands on the heads",
    "Axes are matched from the last one backwards, so the axis of the texts is laid on that of the"
    " heads. With as many texts as heads nothing fails: head 1 hides what is filling in text 1, and"
    " head 2 what is filling in text 2, in both texts. With another number of texts it is an error,"
    " which is better luck. Two axes of length 1 put the mask where it belongs.",
    faulty,
    repaired,
    measured,
)
