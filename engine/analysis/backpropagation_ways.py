"""The way back of one loss through the layers of a feed-forward net, and that of all losses of a text through the steps
of a recurrent net: what is there after each step back.

What      feed-forward: dL/dW_l has one term, made where the way passes layer l.  Recurrent: dL/dU is a sum, and each
          step that the way passes adds the term of its own use of U
Source    Rumelhart, Hinton & Williams, Learning Representations by Back-Propagating Errors, 1986; Werbos,
          Backpropagation Through Time: What It Does and How to Do It, 1990
Shapes    N = steps back, the last layer or token first; E, H = rows and columns of a matrix
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from engine.models import gradients
from engine.models.recurrent import RecurrentModel
from engine.text.tokenizers.base import Tokens

UNITS, CLASSES = 32, 10


@dataclass(frozen=True, slots=True)
class Way:
    """Lengths after each step back.

    state_N  the gradient of the state there
    term_N   what is added there to the gradient of the matrix that is used there
    whole_N  what that matrix has by then
    """

    names: tuple[str, ...]
    state_N: np.ndarray
    term_N: np.ndarray
    whole_N: np.ndarray


def over_layers(input_P: np.ndarray, wanted: int, layers: int, seed: int = 0) -> Way:
    """A net of tanh with the weights that torch begins with; `wanted`: the right one of ten classes."""
    with torch.random.fork_rng(devices=()), torch.enable_grad():
        torch.manual_seed(seed)
        sizes = (input_P.size, *(UNITS for _ in range(layers)))
        net = [nn.Linear(a, b) for a, b in pairwise(sizes)]
        states = [torch.from_numpy(input_P.astype(np.float32))]
        for layer in net:
            states.append(torch.tanh(layer(states[-1])))
        logit = nn.Linear(UNITS, CLASSES)(states[-1])
        loss = nn.functional.cross_entropy(logit, torch.tensor(wanted))
        found = torch.autograd.grad(loss, [*states[:0:-1], *(part.weight for part in net[::-1])])
    length_N = np.array([float(part.norm()) for part in found])
    names = tuple(f"layer {n}" for n in range(layers, 0, -1))
    return Way(names, length_N[:layers], length_N[layers:], length_N[layers:])


def over_steps(model: RecurrentModel[Any], tokens: Tokens) -> Way:
    """The top layer.  ValueError for fewer than two tokens: nothing is predicted."""
    steps = len(tokens) - 1
    if steps < 1:
        raise ValueError("a gradient needs a prediction: two tokens or more")
    found = gradients.read(model, tokens, 1)
    top = max(found.graph.uses)
    uses = [use for use in found.graph.uses[top] if use.step < steps]
    states = found.graph.points["hidden", top][1][:steps]
    made = gradients.of(found, found.nats_RT.sum(), [*states, *(use.made for use in uses)])
    blocks = len(uses) // steps  # products in one step
    terms = [
        torch.cat(
            [_term(made[steps + n], uses[n].read) for n in range(k * blocks, (k + 1) * blocks)]
        )
        for k in range(steps)
    ][::-1]
    whole_NEH = torch.stack(terms).cumsum(0)
    return Way(
        tuple(tokens.labels[:steps][::-1]),
        np.array([float(part.norm()) for part in made[:steps]][::-1]),
        np.array([float(term.norm()) for term in terms]),
        whole_NEH.flatten(1).norm(dim=1).cpu().numpy(),
    )


def _term(made_1E: Tensor, read_1H: Tensor) -> Tensor:
    return made_1E.T @ read_1H.detach()
