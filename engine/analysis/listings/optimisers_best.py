"""The best weights, kept by a dictionary that still points at those in training."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy

import torch
from torch import Tensor, nn

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import drawn

VALIDATION = (0.9, 0.4, 0.7, 1.1)  # loss on held-out text after each epoch


def faulty(net: nn.Module) -> dict[str, Tensor]:
    return net.state_dict().copy()


def repaired(net: nn.Module) -> dict[str, Tensor]:
    return deepcopy(net.state_dict())


def measured(program: Program) -> Mapping[str, float]:
    net = drawn(nn.Linear(3, 2))
    best, kept = float("inf"), program(net)
    then = net.weight.detach().clone()
    for loss in VALIDATION:
        with torch.no_grad():
            net.weight += 1  # an epoch
        if loss < best:
            best, kept, then = loss, program(net), net.weight.detach().clone()
    net.load_state_dict(kept)
    return {"away from the best epoch's weights": (net.weight - then).abs().max().item()}


LISTING = Listing(
    "The best weights change on",
    "A copy of the dictionary holds the same tensors, and training goes on to change them. What is"
    " loaded in the end are the last weights, not those of the second epoch, the best one: each has"
    " moved twice by 1 since then. A deep copy holds numbers of its own.",
    faulty,
    repaired,
    measured,
)
