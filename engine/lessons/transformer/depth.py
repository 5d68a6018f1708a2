"""How the gradient gets through many blocks: norm after each part, norm before it, and neither norm
nor short cut.

What      a stack of feed-forward blocks with random weights; after: x = norm(x + f(x)); before: x =
          x + f(norm(x)), one norm at the end; bare: x = f(x).  Loss = sum of (output * noise); per
          block the norm of the gradient of all its weights.
Source    Vaswani et al., Attention Is All You Need, 2017, sec. 3.1 (after); Xiong et al., On Layer
          Normalization in the Transformer Architecture, 2020, theorem 1 (before); He et al., Deep
          Residual Learning, 2016 (the short cut)
Shapes    L = blocks, N = random inputs, D = width
Differs   Feed-forward parts only (D -> 4 D -> D, ReLU), torch's own random start; no training.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

KINDS = {
    "after": "norm after (2017)",
    "before": "norm first (GPT-2)",
    "bare": "no norm, no short cut",
}
INPUTS = 32


def gradients(kind: str, depth: int, width: int = 64, seed: int = 0) -> np.ndarray:
    """The norm of the gradient of every block's weights (L,), from the first to the last.  KeyError
    for no such kind."""
    title = KINDS[kind]
    assert title
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        blocks = [
            nn.Sequential(nn.Linear(width, 4 * width), nn.ReLU(), nn.Linear(4 * width, width))
            for _ in range(depth)
        ]
        x_ND, noise_ND = torch.randn(INPUTS, width), torch.randn(INPUTS, width)
    for block in blocks:
        match kind:
            case "after":
                x_ND = F.layer_norm(x_ND + block(x_ND), (width,))
            case "before":
                x_ND = x_ND + block(F.layer_norm(x_ND, (width,)))
            case _:
                x_ND = block(x_ND)
    out_ND = F.layer_norm(x_ND, (width,)) if kind == "before" else x_ND
    (out_ND * noise_ND).sum().backward()  # type: ignore[no-untyped-call]
    grads = [
        torch.cat([p.grad.flatten() for p in block.parameters() if p.grad is not None])
        for block in blocks
    ]
    return np.array([float(g.norm()) for g in grads])
