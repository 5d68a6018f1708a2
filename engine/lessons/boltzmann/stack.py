"""Deep belief nets: machines on top of each other, each learned from what the one below makes of the digits.

What      layer l learns from p(h | v) of layer l - 1 by CD-1; then a softmax on top, and all weights
          go on by backpropagation (fine-tuning), beside the same net from a random start
Source    Hinton, Osindero & Teh, A Fast Learning Algorithm for Deep Belief Nets, 2006;
          Bengio et al., Greedy Layer-Wise Training of Deep Networks, 2007
Shapes    N = digits, V = 64 cells
"""

from __future__ import annotations

import numpy as np

from engine.lessons.convolution import images

HALF = images.FULL // 2


def binary(cells_N88: np.ndarray) -> np.ndarray:
    """Cells with at least half their dots inked are on (N, 64)."""
    found: np.ndarray = (cells_N88.reshape(len(cells_N88), -1) >= HALF).astype(float)
    return found
