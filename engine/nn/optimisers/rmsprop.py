"""RMSprop: divide each gradient by how large gradients of that weight are of late.

What      g = gradient + decay w;  s = 0.99 s + 0.01 g^2;  w = w - rate g / (sqrt(s) + 1e-8)
Source    Tieleman & Hinton, Neural Networks for Machine Learning, lecture 6.5, 2012; with a mean
          and momentum besides:
          Graves, Generating Sequences with Recurrent Neural Networks, 2013, eq. 38 to 41
Shapes    w, g and s of one parameter have its shape
Differs   No momentum, as in the lecture.  s begins at 0, so the first step is ten times the rate
          long: warm up.
"""

from __future__ import annotations

from torch.optim import RMSprop

from engine.nn.optimisers.base import Optimiser

OPTIMISER = Optimiser(
    "Divides each gradient by the root of its mean square, so that each weight moves about"
    " equally far.",
    lambda net, plan: RMSprop(
        net.parameters(), plan.rate, alpha=0.99, eps=1e-8, weight_decay=plan.decay
    ),
    kept=lambda plan: 1,
)
