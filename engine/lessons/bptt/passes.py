"""One pass of learning over a text that is read in chunks: what is handed on at the walls, and when the weights are
changed.

What      a chunk begins with the state that the one before it left, or with zeros (reset); the weights are changed
          after each chunk, w <- w - rate * g_c, or once with the gradients of all chunks, weighted by their tokens:
          sum of n_c / n * g_c is the gradient of the mean loss
Source    Williams & Peng, An Efficient Gradient-Based Algorithm for On-Line Training of Recurrent Network
          Trajectories, Neural Computation 2(4), 1990
Shapes    Q = T = tokens
Differs   No gradient passes a wall in any of them.  g_c is of the mean loss of a chunk, in nats.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from engine.analysis.backpropagation import Carried, tensors
from engine.models.neural import apart
from engine.models.recurrent import RecurrentModel
from engine.nn.stack import Carried as State
from engine.text.tokenizers.base import Tokens


@dataclass(frozen=True, slots=True)
class Passes:
    """Surprisal in nats of each token, 0 at the first.

    handed_Q, reset_Q  with the weights as they are: the state handed on at the walls, and reset to zeros there
    each_Q, once_Q     after one pass of learning: the weights changed after each chunk, and once at the end
    updates            how often they are changed where that is after each chunk
    """

    handed_Q: np.ndarray
    reset_Q: np.ndarray
    each_Q: np.ndarray
    once_Q: np.ndarray
    updates: int


def passes(
    model: RecurrentModel[Any],
    tokens: Tokens,
    chunk: int,
    rate: float,
    carried: Carried | None = None,
) -> Passes:
    """ValueError for a chunk of no step, and for fewer than two tokens."""
    if chunk < 1:
        raise ValueError("a chunk has at least one step")
    if len(tokens) < 2:
        raise ValueError("nothing is predicted: two tokens or more")
    begin = _begin(model, carried)
    handed, reset = (_read(model, tokens, chunk, begin, hand) for hand in (True, False))
    each, updates = _learned(model, tokens, chunk, begin, rate, every=True)
    once, _ = _learned(model, tokens, chunk, begin, rate, every=False)
    after_each, after_once = (_read(m, tokens, chunk, begin, True) for m in (each, once))
    return Passes(handed, reset, after_each, after_once, updates)


def _begin(model: RecurrentModel[Any], carried: Carried | None) -> State | None:
    state = tensors(model, carried)
    layers = range(model.config.layers)
    if state is None:
        return None
    return [tuple(state[n][i, -1:] for n in model.cell.state) for i in layers]


def _chunks(
    net: Any, tokens: Tokens, chunk: int, before: State | None, hand: bool
) -> Iterator[Tensor]:
    """The losses of each chunk."""
    ids_1T = torch.from_numpy(tokens.ids)[None].to(net.embed.weight.device)
    count = len(tokens)
    for start in range(0, count - 1, chunk):
        stop = min(count - 1, start + chunk)
        after: State = []
        logit_TV = net(ids_1T[:, start:stop], before=before, after=after)[0]
        yield nn.functional.cross_entropy(
            logit_TV, ids_1T[0, start + 1 : stop + 1], reduction="none"
        )
        before = after if hand else None


def _read(
    model: RecurrentModel[Any], tokens: Tokens, chunk: int, begin: State | None, hand: bool
) -> np.ndarray:
    with torch.inference_mode():
        losses = [part.float().cpu() for part in _chunks(model.net, tokens, chunk, begin, hand)]
    return np.r_[np.zeros(1, np.float32), torch.cat(losses).numpy()]


def _learned(
    model: RecurrentModel[Any],
    tokens: Tokens,
    chunk: int,
    begin: State | None,
    rate: float,
    every: bool,
) -> tuple[RecurrentModel[Any], int]:
    other, updates = apart(model), 0
    with torch.inference_mode(False), torch.enable_grad():
        weights = [p.requires_grad_() for p in other.net.parameters() if p.is_floating_point()]
        total = [torch.zeros_like(w) for w in weights]
        for loss_T in _chunks(other.net, tokens, chunk, begin, True):
            grads = torch.autograd.grad(loss_T.mean(), weights, allow_unused=True)
            for weight, sum_, g in zip(weights, total, grads, strict=True):
                if g is None:
                    continue
                if every:
                    weight.data -= rate * g
                else:
                    sum_ += g * len(loss_T) / (len(tokens) - 1)
            updates += every
        if not every:
            for weight, sum_ in zip(weights, total, strict=True):
                weight.data -= rate * sum_
    return other, updates
