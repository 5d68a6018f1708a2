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
from collections.abc import Callable, Mapping

import numpy as np
import torch
from torch import Tensor

from engine.analysis.cures import SEED, Switches, build, measure
from engine.nn.cells.base import Cell
from engine.nn.initial import STARTS

KINDS = ("torch", *STARTS)
SLOPES = {"tanh": 1.0, "sigmoid": 0.25, "relu": 1.0}
DEPTHS: Mapping[str, Callable[[int, int], float]] = {  # standard deviation from (units, layers)
    "normal 0.02": lambda h, _: 0.02,
    "Xavier": lambda h, _: math.sqrt(2 / (h + h)),
    "He": lambda h, _: math.sqrt(2 / h),
    "normal 0.02 / √N": lambda _, layers: 0.02 / math.sqrt(layers),
}


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


def depth(
    kind: str,
    layers: int,
    activation: str,
    *,
    residual: bool = False,
    wide: int = 256,
    texts: int = 64,
) -> np.ndarray:
    """(L + 1,): how large the signal is after each layer; it begins with about 1."""
    squeeze = {"tanh": torch.tanh, "sigmoid": torch.sigmoid, "relu": torch.relu}[activation]
    made = torch.Generator().manual_seed(SEED)
    y_BH = torch.randn(texts, wide, generator=made)
    found = [y_BH]
    for _ in range(layers):
        w_HH = torch.randn(wide, wide, generator=made) * DEPTHS[kind](wide, layers)
        new_BH = squeeze(y_BH @ w_HH)
        y_BH = y_BH + new_BH if residual else new_BH
        found.append(y_BH)
    return np.array([float(y.double().square().mean().sqrt()) for y in found])
