"""A recurrent stack that reads nothing: its state goes on by itself.

What      h_t = cell(0, h_{t-1}); logits from each h_t
Source    Vinyals, Toshev, Bengio & Erhan, Show and Tell, 2015, feed the input once, at the start;
          this goes one step further and feeds back nothing either
Shapes    L = layers, H = units, N = steps, V = vocabulary
Differs   The input is a row of zeros, which no token has as its embedding: the net was never
          trained for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch


@torch.inference_mode()
def goes_on(net: Any, state: Mapping[str, np.ndarray], steps: int) -> np.ndarray:
    """Probabilities (N, V) after each of the steps that follow `state`, the cell's state fields (L,
    T, H)."""
    weight = net.head.weight
    nothing_1ND = torch.zeros(1, steps, net.embed.embedding_dim, device=weight.device)
    last = {
        name: torch.from_numpy(values.copy()).to(weight.device) for name, values in state.items()
    }
    p_NV: np.ndarray = net.head(net.read(nothing_1ND, state=last))[0].softmax(-1).cpu().numpy()
    return p_NV
