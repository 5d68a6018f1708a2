"""Text written token by token, with all of it read again for every token."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import drawn

SIZE, PROMPT, MORE = 12, (3, 1, 4, 1, 5), 40


class Net(nn.Module):
    """Counts the tokens that it reads."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.cell = nn.Embedding(SIZE, 16), nn.LSTM(16, 32)
        self.out, self.reads = nn.Linear(32, SIZE), 0

    def forward(self, ids: Tensor, state: Any = None) -> tuple[Tensor, Any]:
        self.reads += len(ids)
        out, state = self.cell(self.table(ids), state)
        return self.out(out), state


def faulty(net: Program, ids: Tensor, more: int) -> Tensor:
    for _ in range(more):
        score, _ = net(ids)
        ids = torch.cat([ids, score[-1:].argmax(-1)])
    return ids


def repaired(net: Program, ids: Tensor, more: int) -> Tensor:
    new, state = ids, None
    for _ in range(more):
        score, state = net(new, state)
        new = score[-1:].argmax(-1)
        ids = torch.cat([ids, new])
    return ids


def measured(program: Program) -> Mapping[str, float]:
    net = drawn(Net())
    with torch.no_grad():
        ids = program(net, torch.tensor(PROMPT), MORE)
    return {"tokens written": len(ids) - len(PROMPT), "tokens read for them": net.reads}


LISTING = Listing(
    "Everything read again for each token",
    "Both programs write the same text. The first throws the state away and reads the whole text"
    f" anew for each of the {MORE} tokens, so the work grows with the square of the length. The state"
    " holds all that the net knows of the text, so only the new token has to be read.",
    faulty,
    repaired,
    measured,
)
