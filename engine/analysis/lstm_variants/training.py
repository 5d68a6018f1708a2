"""Training: a small net on texts drawn as it goes, on the spot, and what it knows on the way.

What      Adam on the cross-entropy of `batch` new texts a step; after some steps the share of the answers
          that are right on texts held out
Source    Kingma & Ba, Adam: A Method for Stochastic Optimization, 2015
Shapes    B = texts, T.. = what a text is made of, A.. = its answers, C = classes, S = steps looked at
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

N = TypeVar("N")
M = TypeVar("M", bound=nn.Module)
Drawn = Callable[[int, torch.Generator], tuple[Tensor, Tensor]]


@dataclass(frozen=True)
class Trained(Generic[N]):
    """The net, and the share of held-out answers (S,) that are right."""

    net: N
    right_S: np.ndarray


def trained(
    make: Callable[[], M],
    drawn: Drawn,
    logits: Callable[[M, Tensor], Tensor],
    steps: Sequence[int],
    seed: int,
    *,
    batch: int,
    rate: float,
    held_out: int,
    clip: float = math.inf,
) -> Trained[M]:
    """
    drawn   (count, generator) -> texts (B, T..) and their answers (B, A..)
    logits  of the answers (B, A.., C)
    steps   after which it is tried; the last one ends the training
    clip    most length of a gradient
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        net = make()
    draw, right = torch.Generator().manual_seed(seed), []
    text_BT, answer_BA = drawn(held_out, torch.Generator().manual_seed(10_000))
    optimiser = torch.optim.Adam(net.parameters(), lr=rate)
    for step in range(steps[-1] + 1):
        if step in steps:
            with torch.no_grad():
                right.append(float((logits(net, text_BT).argmax(-1) == answer_BA).float().mean()))
        some_BT, wanted_BA = drawn(batch, draw)
        optimiser.zero_grad()
        loss = F.cross_entropy(logits(net, some_BT).flatten(0, -2), wanted_BA.flatten())
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(net.parameters(), clip)
        optimiser.step()
    return Trained(net.eval(), np.array(right))
