"""AdamW: Adam, with weight decay that is no part of the gradient.

What      w = w - rate decay w, then as Adam without decay: w = w - rate (m / (1 - b^t)) / (sqrt(s /
          (1 - 0.99^t)) + 1e-8)
Source    Loshchilov & Hutter, Decoupled Weight Decay Regularization, 2019, algorithm 2
Shapes    as in engine/nn/optimisers/adam.py
Differs   s remembers 100 steps (0.99), not 1,000 (0.999).  All weights decay, those of norms and
          biases too.
"""

from __future__ import annotations

from collections.abc import Iterable

from torch import nn
from torch.optim import AdamW

from engine.nn.optimisers.base import Optimiser
from engine.nn.plan import Plan


def plain(parameters: Iterable[nn.Parameter], plan: Plan) -> AdamW:
    return AdamW(parameters, plan.rate, betas=(plan.momentum, 0.99), weight_decay=plan.decay)


OPTIMISER = Optimiser(
    "Adam, with all weights shrinking by the same small share at each step.",
    lambda net, plan: AdamW(
        net.parameters(),
        plan.rate,
        betas=(plan.momentum, 0.99),
        weight_decay=plan.decay,
        fused=True,
    ),
    guarded=True,
    baseline=lambda net, plan: [plain(net.parameters(), plan)],
)
