"""Gradient accumulation: a batch read in parts, and what their gradients add up to.

What      each part's sum of losses over the tokens of the whole batch (engine/nn/loop.py); so the
          gradients of the parts add up to that of the batch
          over its own tokens instead: the mean of the parts' means, which is another number where
          parts have unequally many
Source    Micikevicius et al., Mixed Precision Training, 2018, sec. 3.2 (a batch in parts)
Shapes    B = windows of the batch
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from engine.analysis.optimising.noise_scale import gradient
from engine.models.neural import NeuralLanguageModel, copy_apart
from engine.nn.loop import shares


@dataclass(frozen=True, slots=True)
class Parts:
    """sizes: windows of each part; each loss and gradient length is of the part alone.

    away     largest difference between the sum of the parts' shares and the whole batch's gradient
    length   of the whole batch's gradient
    undivided length of the plain sum, which nothing was divided by
    """

    sizes: tuple[int, ...]
    losses: tuple[float, ...]
    lengths: tuple[float, ...]
    loss: float
    length: float
    away: float
    undivided: float


def compare(model: NeuralLanguageModel[Any], ids_BT: torch.Tensor, parts: int) -> Parts:
    """The gradient of a batch at once and in parts, of a net on a processor."""
    model = copy_apart(model)
    whole, loss = gradient(model, ids_BT)
    sizes, losses, lengths = [], [], []
    added, plain = torch.zeros_like(whole), torch.zeros_like(whole)
    for rows in shares(len(ids_BT), parts):
        g, its_loss = gradient(model, ids_BT[rows])
        size = rows.stop - rows.start
        sizes.append(size)
        losses.append(its_loss)
        lengths.append(g.norm().item())
        added += g * (size / len(ids_BT))
        plain += g
    return Parts(
        tuple(sizes),
        tuple(losses),
        tuple(lengths),
        loss,
        whole.norm().item(),
        (added - whole).abs().max().item(),
        plain.norm().item(),
    )


def updates(batches: int, together: int, last: bool) -> int:
    """Updates in an epoch; `last`: an incomplete group takes a step too."""
    return -(-batches // together) if last else batches // together
