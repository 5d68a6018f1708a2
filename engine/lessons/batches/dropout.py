"""Dropout in a recurrent net: three ways to silence units, and what each leaves of a memory.

What      layer        masks on what goes in and out, fresh at each step; the memory is untouched
          fresh        a mask on the state, fresh at each step: after n steps (1 - p)^n is left
          variational  a mask on the state, one for all steps of a line: 1 - p is left, however long
          what is kept is divided by 1 - p, so the mean stays: what is left is (1 - p)^-n times as
          large on a state that each step copies
Source    Zaremba, Sutskever & Vinyals, Recurrent Neural Network Regularization, 2014 (layer); Moon
          et al., RnnDrop, 2015, and Semeniuta et al., Recurrent Dropout without Memory Loss, 2016;
          Gal & Ghahramani, A Theoretically Grounded Application of Dropout in Recurrent Neural
          Networks, 2016 (one mask for all steps)
Shapes    T = steps, H = units
Differs   The masks of the variational way, and those between layers, are those of engine/nn/stack.py:
          a linear memory that copies itself is read through its cell.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from engine.nn.cells.rnn import RNN
from engine.nn.stack import Stack

FORMS = {
    "layer": "Between layers",
    "fresh": "Recurrent, fresh at each step",
    "variational": "Recurrent, one mask for all steps",
}


SIDE = 64  # units of a layer; many units are many lines


def masks(form: str, p: float, steps: int, units: int, seed: int = 0) -> np.ndarray:
    """(T, H): what each unit is multiplied by, 0 or 1 / (1 - p)."""
    if form == "variational":  # what one step leaves of a one
        return np.repeat(copied(p, 2, units, seed)[1:], steps, 0)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        found = nn.Dropout(p).train()(torch.ones(steps, units))
    return np.asarray(found.numpy(), np.float64)


def memory(form: str, mask_TH: np.ndarray) -> np.ndarray:
    """(T + 1, H): a state of ones that each step copies, through these masks."""
    start = np.ones((1, mask_TH.shape[1]))
    if form == "layer":
        return np.repeat(start, len(mask_TH) + 1, 0)
    return np.concatenate((start, np.cumprod(mask_TH, 0)))


def left(form: str, p: float, steps: int) -> np.ndarray:
    """(T + 1,): share of the units that still hold something, by formula."""
    n = np.arange(steps + 1)
    if form == "layer":
        return np.ones(steps + 1)
    return (1 - p) ** (n if form == "fresh" else np.minimum(n, 1))


def copied(p: float, steps: int, units: int, seed: int = 0) -> np.ndarray:
    """(T, H): what the engine's own layer holds at each step in training, where ReLU and an identity
    as recurrent weights copy a one."""
    side = next(n for n in range(min(units, SIDE), 0, -1) if units % n == 0)
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(seed)
        stack = Stack(RNN, side, side, 1, recurrent_dropout=p, activation="relu").train()
        for name, w in stack.layers[0].named_parameters():
            w.copy_(torch.eye(side) if "weight" in name else torch.zeros_like(w))
        x = torch.zeros(units // side, steps, side)
        x[:, 0] = 1
        held = stack.read(x).transpose(0, 1).flatten(1)
        return np.asarray(held.numpy(), np.float64)
