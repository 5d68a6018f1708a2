"""Film: a small convolutional network while it learns to read digits, kept at some of its steps.

What      AdamW over the cross-entropy of batches of images, as in build.py, without a schedule
Source    as in networks.py
Shapes    R = steps that are kept, the start among them
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.analysis.digits import images, sums
from engine.analysis.digits.build import drawn
from engine.analysis.digits.images import Images
from engine.analysis.digits.networks import FILTERS, KERNEL, POOL, Network

STEPS = (0, 1, 2, 3, 5, 8, 12, 20, 30, 45, 70, 100, 150, 220, 300, 400, 600, 900)
RATE = 0.01


@dataclass(frozen=True, eq=False)
class Film:
    """networks: after each of the steps; loss_R, right_R: cross-entropy in nats and share read right,
    on the held-out images."""

    networks: tuple[Network, ...]
    loss_R: np.ndarray
    right_R: np.ndarray


def learned(seed: int, rate: float = RATE, steps: tuple[int, ...] = STEPS) -> Film:
    """From other weights by chance for each seed, on the same images; padding 1, stride 1."""
    import torch
    from torch import nn

    learn, held = images.split()
    side = images.SIDE // POOL
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        net = nn.Sequential(
            nn.Conv2d(1, FILTERS, KERNEL, 1, 1),
            nn.ReLU(),
            nn.MaxPool2d(POOL),
            nn.Flatten(),
            nn.Linear(FILTERS * side * side, 10),
        )
    optimiser = torch.optim.AdamW(net.parameters(), rate, weight_decay=1e-3)
    kept = []
    for step in range(steps[-1] + 1):
        if step in steps:
            kernel, bias, dense, more = (
                p.detach().double().numpy().copy() for p in net.parameters()
            )
            kept.append(Network(1, 1, "max", kernel[:, 0], bias, dense, more))
        if step == steps[-1]:
            break
        ink, digit = drawn(learn, step, seed)
        loss = nn.functional.cross_entropy(net(torch.from_numpy(ink)), torch.from_numpy(digit))
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    judged = [judge(one, held) for one in kept]
    return Film(tuple(kept), *(np.array(column) for column in zip(*judged, strict=True)))


def judge(net: Network, of: Images) -> tuple[float, float]:
    """Cross-entropy in nats, and the share that is read right."""
    logit_NK = net.read(of.ink).logit_NK
    p_NK = sums.softmax(logit_NK)
    right_N = logit_NK.argmax(1) == of.digit
    said_N = np.maximum(p_NK[np.arange(len(of)), of.digit], 1e-30)
    return float(-np.log(said_N).mean()), float(right_N.mean())
