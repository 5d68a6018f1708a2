"""The backward pass of an Elman net, by hand, with the slope of tanh at the wrong place."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from engine.analysis.listings.base import Listing, Program

W_HH, W_XH, W_HY = ((0.1, 0.2), (0.3, 0.1)), ((0.4, 0.5, 0.6), (0.7, 0.8, 0.9)), ((0.5, 0.5),)
BIAS, X, WANTED = 0.1, ((1.0, 0, 1), (0, 1, 0), (1, 1, 0)), 1.0


def faulty(w_hh: Tensor, w_hy: Tensor, h: Tensor, dy: Tensor) -> Tensor:
    """h has a row for the state before the first token, dy does not."""
    found, dh = torch.zeros_like(w_hh), torch.zeros(len(w_hh))
    for t in reversed(range(len(dy))):
        slope = 1 - h[t + 1] ** 2
        dh = dy[t] @ w_hy + dh * slope @ w_hh.T
        found += torch.outer(dh, h[t])
    return found


def repaired(w_hh: Tensor, w_hy: Tensor, h: Tensor, dy: Tensor) -> Tensor:
    """h has a row for the state before the first token, dy does not."""
    found, da = torch.zeros_like(w_hh), torch.zeros(len(w_hh))
    for t in reversed(range(len(dy))):
        slope = 1 - h[t + 1] ** 2
        da = (dy[t] @ w_hy + da @ w_hh) * slope
        found += torch.outer(da, h[t])
    return found


def forward() -> tuple[Tensor, Tensor]:
    """The states, one more than tokens, and 2 (y - wanted) at each token."""
    w_hh, w_xh, w_hy = map(torch.tensor, (W_HH, W_XH, W_HY))
    states = [torch.zeros(2)]
    for x in torch.tensor(X):
        states.append(torch.tanh(w_hh @ states[-1] + w_xh @ x + BIAS))
    h = torch.stack(states)
    return h, 2 * (h[1:] @ w_hy.T + BIAS - WANTED)


def measured(program: Program) -> Mapping[str, float]:
    found = program(torch.tensor(W_HH), torch.tensor(W_HY), *forward())
    return {f"∂L/∂W, row {i + 1}, column {j + 1}": found[i, j].item() for i, j in PLACES}


PLACES = ((0, 0), (0, 1), (1, 0), (1, 1))
LISTING = Listing(
    "Backpropagation through time with a slope missing",
    "The error of a weight is that of the sum it is part of, so the slope of tanh belongs to it at"
    " every token. Here it is left out there, and put on what comes back from the token after,"
    " where it is that of the wrong token; and the weights are transposed once too often. The"
    " gradients are 2 to 3.5 times too large, and the rows of the two units are nearly the same."
    " The repaired gradients are those of torch.",
    faulty,
    repaired,
    measured,
)
