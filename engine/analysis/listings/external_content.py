"""A memory that is said to be addressed by its content."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import drawn, noise


def faulty(
    h: Tensor, memory: Tensor, reads: nn.Linear, writes: nn.Linear, adds: nn.Linear
) -> tuple[Tensor, Tensor]:
    reading = reads(h).softmax(-1) @ memory
    memory = memory + torch.outer(writes(h).softmax(-1), adds(h))
    return reading, memory


def repaired(
    h: Tensor, memory: Tensor, reads: nn.Linear, writes: nn.Linear, adds: nn.Linear
) -> tuple[Tensor, Tensor]:
    where = cosine_similarity(memory, writes(h)[None], dim=-1).softmax(-1)
    memory = memory + torch.outer(where, adds(h))
    where = cosine_similarity(memory, reads(h)[None], dim=-1).softmax(-1)
    return where @ memory, memory


def written(program: Program, start: Tensor) -> tuple[Tensor, Tensor]:
    """The first reading, and what five steps have added to the memory."""
    parts = [drawn(nn.Linear(4, 4), seed) for seed in range(3)]
    memory, first = start, None
    with torch.no_grad():
        for h in noise(5, 4):
            reading, memory = program(h, memory, *parts)
            first = reading if first is None else first
    assert first is not None
    return first, memory - start


def measured(program: Program) -> Mapping[str, float]:
    empty, full = torch.zeros(4, 4), noise(4, 4, seed=5)
    first, from_empty = written(program, empty)
    _, from_full = written(program, full)
    return {
        "length of the first reading of an empty memory": first.norm().item(),
        "what another memory changes in where it writes": round(
            (from_full - from_empty).abs().max().item(), 6
        ),
    }


LISTING = Listing(
    "A memory that nobody looks at",
    "The weights come from the state alone: whatever stands in the memory, the same is added to the"
    " same slots. And as it reads before it writes, the first reading of an empty memory is zero."
    " Weights of content compare a key with each slot.",
    faulty,
    repaired,
    measured,
)
