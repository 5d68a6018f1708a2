"""Adam: momentum and a rate for each weight, both without the bias of their start.

What      g = gradient + decay w;  m = b m + (1 - b) g;  s = 0.99 s + 0.01 g^2
          w = w - rate (m / (1 - b^t)) / (sqrt(s / (1 - 0.99^t)) + 1e-8);  so the first step is rate
          * sign(g)
Source    Kingma & Ba, Adam: A Method for Stochastic Optimization, 2015, algorithm 1
Shapes    w, g, m and s of one parameter have its shape; t = step from 1; b = momentum
Differs   s remembers 100 steps (0.99), not 1,000 (0.999): trainings here are short.  Weight decay
          is part of the gradient and so divided by sqrt(s) too; in AdamW it is not.
"""

from __future__ import annotations

from torch.optim import Adam

from engine.nn.optimisers.base import Optimiser

OPTIMISER = Optimiser(
    "Moves each weight by the mean of its gradients divided by the root of their mean square.",
    lambda net, plan: Adam(
        net.parameters(),
        plan.rate,
        betas=(plan.momentum, 0.99),
        weight_decay=plan.decay,
        fused=True,
    ),
    guarded=True,
)
