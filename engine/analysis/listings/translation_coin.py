"""One coin that decides for a whole batch, and is thrown once more than it is needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

from engine.analysis.listings.base import Listing, Program

TEXTS, PLACES, BATCHES = 16, 12, 200
Step = Callable[[Tensor], Tensor]
Coin = Callable[[int], Tensor]


def faulty(step: Step, target: Tensor, coin: Coin) -> Sequence[Tensor]:
    """target: texts, places."""
    read, scores = target[:, 0], []
    for right in target[:, 1:].T:
        scores.append(step(read))
        forced = coin(1) < 0.5
        read = torch.where(forced, right, scores[-1].argmax(-1))
    return scores


def repaired(step: Step, target: Tensor, coin: Coin) -> Sequence[Tensor]:
    """target: texts, places."""
    scores = [step(target[:, 0])]
    for right in target[:, 1:-1].T:
        forced = coin(len(right)) < 0.5
        read = torch.where(forced, right, scores[-1].argmax(-1))
        scores.append(step(read))
    return scores


def measured(program: Program) -> Mapping[str, float]:
    generator = torch.Generator().manual_seed(0)
    target = torch.ones(TEXTS, PLACES, dtype=torch.long)  # the right word is 1, what it writes 0
    always_0 = torch.tensor([[1.0, 0.0]]).expand(TEXTS, 2)
    throws, given = 0, []

    def coin(n: int) -> Tensor:
        nonlocal throws
        throws += 1
        return torch.rand(n, generator=generator)

    def step(read: Tensor) -> Tensor:
        given.append(read)
        return always_0

    for _ in range(BATCHES):
        program(step, target, coin)
    read = torch.stack(given).view(BATCHES, PLACES - 1, TEXTS)[:, 1:].float()
    share = read.mean(2)
    return {
        "places where a batch reads one kind of word only, %": 100
        * ((share == 0) | (share == 1)).float().mean().item(),
        "standard deviation of the share of right words": share.std().item(),
        "throws of a batch that nothing reads": throws / BATCHES - read.shape[1],
    }


LISTING = Listing(
    "One coin for the whole batch",
    "At each place one throw decides whether all the texts of the batch read the right word or their"
    " own. The mean is the same, but a step of training sees all or nothing, and its gradient"
    " scatters more. The throw and the choice after the last place are for a step that is never"
    " made.",
    faulty,
    repaired,
    measured,
)
