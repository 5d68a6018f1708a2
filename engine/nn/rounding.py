"""Rounding: a training whose net reads with weights as they will be stored, in few bits
(quantisation-aware training).

What      in the last LAST of the steps the net reads with q(w), the numbers that
          engine/storage/quantised.py would give back; the gradient at q(w) is the step's gradient
          of w, as if q were not there (straight-through)
Source    Jacob et al., Quantization and Training of Neural Networks for Efficient
          Integer-Arithmetic-Only Inference, 2018, sec. 3;
          straight-through: Bengio, Léonard & Courville, Estimating or Propagating Gradients Through
          Stochastic Neurons, 2013, sec. 4
Shapes    a row of w is its last axis
Differs   Weights only, not activations; as in the file, biases and narrow tables stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from engine.nn.plan import Plan
from engine.storage.quantised import CUTS, TINY, kind_of, most_of

LAST = 0.25


def rounded(w: Tensor, bits: int) -> Tensor:
    """What the file would give back of a table of at least two axes."""
    most = most_of(bits)
    top = w.abs().amax(-1, keepdim=True)
    best, least = w, torch.full_like(top, torch.inf)
    for cut in CUTS[::-1].tolist() if bits < 8 else [1.0]:
        scale = (top * (cut / most)).clamp_min(float(TINY))
        found = (w / scale).round_().clamp_(-most, most).mul_(scale)
        off = (found - w).square_().sum(-1, keepdim=True)
        better = off < least
        best, least = torch.where(better, found, best), torch.where(better, off, least)
    return best


class Rounding:
    def __init__(self, net: nn.Module, plan: Plan) -> None:
        kinds = (
            [(p, kind_of(tuple(p.shape), f"int{plan.bits}")) for p in net.parameters()]
            if plan.bits
            else []
        )
        self.tables = [(p, int(kind.removeprefix("int"))) for p, kind in kinds if kind != "float16"]
        self.first = int(plan.steps * (1 - LAST)) + 1

    @contextmanager
    def at(self, step: int) -> Iterator[None]:
        """In here the net's weights are the rounded ones, from the step on at which that begins."""
        if step < self.first or not self.tables:
            yield
            return
        kept = [p.detach().clone() for p, _ in self.tables]
        with torch.no_grad():
            for p, bits in self.tables:
                p.copy_(rounded(p, bits))
        try:
            yield
        finally:
            with torch.no_grad():
                for (p, _), values in zip(self.tables, kept, strict=True):
                    p.copy_(values)
