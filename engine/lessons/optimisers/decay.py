"""Decay: what weight decay does in each optimiser to weights whose gradients say nothing.

What      every gradient is noise around 0, of another size for each weight; whatever the weights
          move to on average is the decay alone
Source    Loshchilov & Hutter, Decoupled Weight Decay Regularization, 2019, proposition 1 and 2
Shapes    W = weights, all at 1 in the beginning; S = steps
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from torch import nn

from engine.core.registry import optimisers
from engine.lessons.optimisers.race import Course, Racer, plan_of

SIZES = (0.01, 1.0, 100.0)
MANY = 2_000  # weights of each size, so that the mean is of the decay and not of chance


def fading(racer: Racer, rate: float, decay: float, steps: int, seed: int = 0) -> np.ndarray:
    """Mean weight (S + 1, sizes): of each of SIZES, after each step."""
    net = nn.Module()
    net.w = nn.Parameter(torch.ones(len(SIZES), MANY))
    plan = replace(plan_of(racer, rate, Course((1.0, 1.0), steps)), decay=decay)
    optimiser = optimisers.get(racer.optimiser).make(net, plan)
    chance = torch.Generator().manual_seed(seed)
    means = [net.w.detach().mean(1).numpy().copy()]
    for _ in range(steps):
        draws = torch.randn(net.w.shape, generator=chance)
        net.w.grad = draws * torch.tensor(SIZES)[:, None]
        optimiser.step()
        means.append(net.w.detach().mean(1).numpy().copy())
    return np.array(means)
