"""Gradient reach: how much an input of k tokens ago can still change the end, before anything is
learned.

What      random inputs, loss = sum of h_T^2; norm of dloss/dx_t for each stream, its mean over the
          streams, relative to the last token
Source    Bengio, Simard & Frasconi, 1994; Pascanu, Mikolov & Bengio, On the Difficulty of Training
          Recurrent Neural Networks, 2013;
          forget bias: Gers, Schmidhuber & Cummins, 2000
Shapes    T = tokens, B = streams, D = input width, H = units
Differs   One layer with fresh weights.  In float32, as it is trained: what is below about 1e-45 is
          0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from engine.core.registry import cells
from engine.nn.initial import initialise

D, H, B, T, SEED = 32, 64, 16, 100, 1


@dataclass(frozen=True, slots=True)
class Start:
    """How the weights begin.

    forget_bias  of the cells that have a forget gate; 0: as it begins
    scale        by which the recurrent weights are multiplied
    """

    forget_bias: float = 0.0
    scale: float = 1.0


def reach(cell: str, start: Start) -> np.ndarray:
    """(T,) at lag 0 to T - 1; the first is 1.  KeyError for a cell that there is not."""
    state = torch.random.get_rng_state()
    torch.manual_seed(SEED)
    net = cells.get(cell)(D, H)
    x_TBD = torch.randn(T, B, D, requires_grad=True)
    torch.random.set_rng_state(state)
    initialise(net, "torch", start.forget_bias)
    with torch.no_grad():
        net.matrices()[1].mul_(start.scale)
    with torch.enable_grad():
        h_BTH = net(x_TBD.transpose(0, 1))
        (gradient_TBD,) = torch.autograd.grad(h_BTH[:, -1].square().sum(), x_TBD)
    norm_T = gradient_TBD.norm(dim=2).mean(1)
    found: np.ndarray = (norm_T.flip(0) / norm_T[-1]).numpy()
    return found
