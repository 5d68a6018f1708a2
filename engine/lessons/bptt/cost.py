"""What backpropagation through time costs, measured: how long a sweep forwards and back takes over so
many tokens, and how many bytes are kept on the way for the way back.

What      bytes: all tensors but the weights that autograd keeps in one sweep, each counted once; truncated, those of
          the chunk that keeps the most, as one is let go of before the next
Shapes    T = tokens
Differs   One text, not a batch; the tokens are those of the vocabulary in turn.  Seconds are the
          shortest of three sweeps on this computer.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from engine.models.neural import apart
from engine.models.recurrent import RecurrentModel
from engine.nn.stack import Carried

SWEEPS = 3


@dataclass(frozen=True, slots=True)
class Cost:
    seconds: float
    bytes: int


def measure(model: RecurrentModel[Any], count: int, chunk: int = 0) -> Cost:
    """A sweep over `count` tokens; with `chunk`, truncated after so many steps.  ValueError for
    less than one token."""
    if count < 1 or chunk < 0:
        raise ValueError("there is nothing to measure without a token")
    other = apart(model)
    found = [_sweep(other.net, count, chunk or count) for _ in range(SWEEPS)]
    return Cost(min(cost.seconds for cost in found), found[0].bytes)


def _sweep(net: Any, count: int, chunk: int) -> Cost:
    vocabulary, begun, most = net.embed.num_embeddings, time.perf_counter(), 0
    ids_1T = torch.arange(count + 1)[None] % vocabulary
    before: Carried | None = None
    with torch.inference_mode(False), torch.enable_grad():
        weights = [p.requires_grad_() for p in net.parameters()]
        own = {p.untyped_storage().data_ptr() for p in weights}
        for start in range(0, count, chunk):
            held: dict[int, int] = {}

            def pack(kept: Tensor, held: dict[int, int] = held) -> Tensor:
                storage = kept.untyped_storage()
                if storage.data_ptr() not in own:
                    held[storage.data_ptr()] = storage.nbytes()
                return kept

            stop = min(count, start + chunk)
            after: Carried = []
            with torch.autograd.graph.saved_tensors_hooks(pack, lambda kept: kept):
                logit_1TV = net(ids_1T[:, start:stop], before=before, after=after)
                loss = nn.functional.cross_entropy(logit_1TV[0], ids_1T[0, start + 1 : stop + 1])
            torch.autograd.grad(loss, weights, allow_unused=True)
            before, most = after, max(most, sum(held.values()))
    return Cost(time.perf_counter() - begun, most)
