"""How weights begin, and what follows: the spectrum of the recurrent weights, the bounds of each
start, the forget gate, and the size of the signal in a deep net.

What      spectrum: eigenvalues and singular values of W_hh.  One step back multiplies a gradient by
          at most (largest singular value) x (largest slope: tanh 1, sigmoid 1/4, ReLU 1); it can
          grow only where this is above 1, and need not grow there.
          depth: y_l = f(W y_{l-1}), or y_{l-1} + f(W y_{l-1}); root mean square of y_l
Source    Glorot & Bengio, 2010; He, Zhang, Ren & Sun, 2015; Saxe, McClelland & Ganguli, 2014; normal
          with 0.02: Devlin et al., BERT, 2019; divided by sqrt(N): Radford et al., Language Models
          are Unsupervised Multitask Learners, 2019, sec. 2.3
Shapes    H = units, L = layers
Differs   Nothing is learned.
"""

from __future__ import annotations

import math

import numpy as np
from torch import Tensor

from engine.analysis.cures import Switches, build, measure
from engine.nn.cells.base import Cell
from engine.nn.initial import STARTS

KINDS = ("torch", *STARTS)
SLOPES = {"tanh": 1.0, "sigmoid": 0.25, "relu": 1.0}


def spectrum(start: str, scale: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues (H,), complex, and singular values (H,), largest first, of the W_hh of the first
    layer of a plain net."""
    cell = build(Switches(start=start, scale=scale, layers=1)).layers[0]
    assert isinstance(cell, Cell)
    u_HH = cell.matrices()[1].detach().double().numpy()
    return np.linalg.eigvals(u_HH), np.linalg.svd(u_HH, compute_uv=False)


def bounds(wide: int, high: int, gates: int = 1) -> dict[str, tuple[float, float]]:
    """{start: (bound of a uniform draw, its standard deviation)} for a matrix (gates x high, wide)
    that is drawn at once; `gates` 1: each block by itself."""
    found = {
        "uniform": 0.1,
        "torch": 1 / math.sqrt(high),
        "xavier": math.sqrt(6 / (wide + gates * high)),
        "he": math.sqrt(6 / wide),
    }
    return {name: (bound, bound / math.sqrt(3)) for name, bound in found.items()}


def gates(
    x_BTD: Tensor, forget_bias: float, start: str = "torch", scale: float = 1.0
) -> np.ndarray:
    """All numbers of the forget gate of an LSTM on these texts."""
    found = measure(
        Switches("lstm", start=start, scale=scale, forget_bias=forget_bias, layers=1), x_BTD
    )
    assert found.gates_TH is not None
    return found.gates_TH.ravel()
