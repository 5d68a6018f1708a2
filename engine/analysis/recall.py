"""Trainings that must carry one letter over many steps: what clipping cures, and what it cannot.

What      input: one of K letters, then T - 1 blanks; wanted at the end: the letter.  One layer of
          ReLU, W_hh = c Q with Q orthogonal, so that all singular values are c and one step back
          multiplies a gradient by at most c.  Plain gradient descent, with clipping by norm or
          without, from the same weights over the same batches
Source    Le, Jaitly & Hinton, A Simple Way to Initialize Recurrent Networks of Rectified Linear
          Units, 2015; Pascanu, Mikolov & Bengio, 2013
Shapes    T = steps of the input, B = texts of a batch, H = units, N = updates
Differs   Nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from engine.core.registry import clippings
from engine.core.tap import passthrough
from engine.nn.cells.rnn import RNN
from engine.nn.initial import initialise

K, H, B, RATE, UPDATES, SEED = 4, 32, 32, 0.1, 120, 0


@dataclass(frozen=True, slots=True)
class Training:
    """loss_N: nats, before each update; norm_N: the length of the gradient before it is clipped;
    right: share of the letters that come back in the last ten batches."""

    loss_N: np.ndarray
    norm_N: np.ndarray
    right: float

    @property
    def broken(self) -> int | None:
        """The first update whose loss or gradient is no finite number."""
        wrong = np.flatnonzero(~(np.isfinite(self.loss_N) & np.isfinite(self.norm_N)))
        return int(wrong[0]) if len(wrong) else None


def train(
    c: float, threshold: float, steps: int = 20, updates: int = UPDATES, chunk: int = 0
) -> Training:
    """`threshold`: the longest gradient; 0: any.  `chunk`: steps between walls that the state passes and no gradient
    does; 0: none."""
    drawn = torch.Generator().manual_seed(SEED)
    with torch.inference_mode(False), torch.enable_grad(), torch.random.fork_rng(devices=()):
        torch.manual_seed(SEED)
        cell, readout = RNN(K + 1, H, "relu"), nn.Linear(H, K)
        initialise(cell, "orthogonal")
        with torch.no_grad():
            cell.matrices()[1].mul_(c)
        weights = [*cell.parameters(), *readout.parameters()]
        descent = torch.optim.SGD(weights, lr=RATE)
        clipping = clippings.get("norm" if threshold else "none")(threshold)
        losses, norms, right = [], [], []
        for _ in range(updates):
            wanted_B = torch.randint(K, (B,), generator=drawn)
            x_BTD = torch.zeros(B, steps, K + 1)
            x_BTD[:, 1:, K] = 1
            x_BTD[torch.arange(B), 0, wanted_B] = 1
            logit_BK = readout(_last(cell, x_BTD, chunk or steps))
            loss = nn.functional.cross_entropy(logit_BK, wanted_B)
            descent.zero_grad()
            loss.backward()
            before, _ = clipping(weights)
            descent.step()
            losses.append(loss.item())
            norms.append(float(before))
            right.append(float((logit_BK.argmax(1) == wanted_B).float().mean()))
    return Training(np.array(losses), np.array(norms), float(np.mean(right[-10:])))


def _last(cell: RNN, x_BTD: Tensor, chunk: int) -> Tensor:
    """(B, H): the state at the end, with its past back to the last wall."""
    carried: tuple[Tensor, ...] | None = None
    for part_BTD in x_BTD.split(chunk, 1):
        h_BH = cell(part_BTD, passthrough, carried)[:, -1]
        carried = (h_BH.detach(),)
    return h_BH
