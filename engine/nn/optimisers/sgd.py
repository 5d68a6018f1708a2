"""SGD with momentum: go downhill, and keep part of the last step.

What      g = gradient + decay w;  v = momentum v + g;  w = w - rate v;  v = 0 before the first step
Source    Polyak, Some Methods of Speeding up the Convergence of Iteration Methods, 1964; Sutskever,
          Martens, Dahl & Hinton, On the Importance of Initialization and Momentum in Deep Learning,
          2013, sec. 2
Shapes    w, g and v of one parameter have its shape
Differs   The rate multiplies v, not g, as in torch: a rate that changes changes all that v has
          gathered.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.optim import SGD

from engine.nn.optimisers.base import Optimiser
from engine.nn.plan import Plan


def make_sgd(net: nn.Module, plan: Plan) -> SGD:
    made = SGD(
        net.parameters(), plan.rate, momentum=plan.momentum, weight_decay=plan.decay, fused=True
    )
    if plan.momentum:
        # torch begins without v, and leaves it unset where the first step is held back
        for p in net.parameters():
            made.state[p]["momentum_buffer"] = torch.zeros_like(p)
    return made


OPTIMISER = Optimiser(
    "Moves against the gradient and keeps part of the last step, like a rolling ball.",
    make_sgd,
    guarded=True,
    kept=lambda plan: int(plan.momentum > 0),
)
