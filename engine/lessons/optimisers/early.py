"""Early stopping: a net that learns a few points by heart, its loss on others, and which weights are
kept.

What      after each measurement that is the best so far the weights are kept; after `patience`
          measurements without a better one the training ends
Source    Prechelt, Early Stopping - But When?, 1998
Shapes    M = measurements
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

POINTS, OTHERS, UNITS = 14, 200, 48
EVERY, RATE = 20, 0.01  # steps between measurements; of Adam


@dataclass(frozen=True, slots=True)
class Stop:
    """Measurements are counted from 1.  best: the one with the least loss; end: the last one."""

    best: int
    end: int
    stopped: bool


def stop(losses: Sequence[float], patience: int) -> Stop:
    """As the training room does; patience 0: never.  A loss that is no number is not better."""
    best, least, waited = 0, math.inf, 0
    for n, loss in enumerate(losses, 1):
        waited = 0 if loss < least else waited + 1
        if not waited:
            best, least = n, loss
        if patience and waited >= patience:
            return Stop(best, n, True)
    return Stop(best, len(losses), False)


@dataclass(frozen=True, slots=True)
class Overfitting:
    """train, held (M): mean squared errors at each measurement."""

    train: np.ndarray
    held: np.ndarray
    stop: Stop


def _net(seed: int) -> nn.Sequential:
    torch.manual_seed(seed)
    return nn.Sequential(
        nn.Linear(1, UNITS), nn.Tanh(), nn.Linear(UNITS, UNITS), nn.Tanh(), nn.Linear(UNITS, 1)
    )


def _points(count: int, chance: torch.Generator) -> tuple[Tensor, Tensor]:
    x = torch.rand(count, 1, generator=chance) * 2 - 1
    y = torch.sin(4 * x) + 0.35 * torch.randn(count, 1, generator=chance)
    return x, y


def overfit(patience: int, most: int = 60, seed: int = 0) -> Overfitting:
    """Trains until patience ends it, or to measurement `most`; the random numbers of the process are
    left as they were."""
    with torch.random.fork_rng(devices=[]):
        net, chance = _net(seed), torch.Generator().manual_seed(seed)
        (x, y), (other_x, other_y) = _points(POINTS, chance), _points(OTHERS, chance)
        optimiser = torch.optim.Adam(net.parameters(), RATE)
        train: list[float] = []
        held: list[float] = []
        for _ in range(most):
            for _ in range(EVERY):
                optimiser.zero_grad()
                F.mse_loss(net(x), y).backward()
                optimiser.step()
            with torch.no_grad():
                train.append(F.mse_loss(net(x), y).item())
                held.append(F.mse_loss(net(other_x), other_y).item())
            if stop(held, patience).stopped:
                break
        return Overfitting(np.array(train), np.array(held), stop(held, patience))
