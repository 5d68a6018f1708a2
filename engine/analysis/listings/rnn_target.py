"""A net that is trained to say the token it was just given."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, one_hot

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import Descent, drawn

TEXT, STEPS = "the cat sat on the mat. ", 60


class Net(nn.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.size, self.cell, self.out = size, nn.RNN(size, 24), nn.Linear(24, size)

    def forward(self, ids: Tensor) -> Tensor:
        found: Tensor = self.out(self.cell(one_hot(ids, self.size).float())[0])
        return found


def faulty(net: Callable[[Tensor], Tensor], ids: Tensor) -> Tensor:
    return cross_entropy(net(ids), ids)


def repaired(net: Callable[[Tensor], Tensor], ids: Tensor) -> Tensor:
    return cross_entropy(net(ids[:-1]), ids[1:])


def measured(program: Program) -> Mapping[str, float]:
    letters = sorted(set(TEXT))
    ids = torch.tensor([letters.index(c) for c in TEXT])
    net = drawn(Net(len(letters)))
    optimiser = Descent(net.parameters(), 0.5)
    for _ in range(STEPS):
        optimiser.zero_grad()
        loss = program(net, ids)
        loss.backward()
        optimiser.step()
    with torch.no_grad():
        said = net(ids)
    right = (said[:-1].argmax(-1) == ids[1:]).float().mean()
    return {"loss at the end": loss.item(), "next characters foretold, %": 100 * right.item()}


LISTING = Listing(
    "The target not moved by one",
    "Input and target are the same tokens. The loss falls to almost nothing, because the net learns"
    " to repeat what it was just given, and it foretells nothing. Moved by one, the same net learns"
    f" the sentence in the same {STEPS} steps.",
    faulty,
    repaired,
    measured,
)
