"""What clipping does to one gradient: by norm, by value, or adaptively, by the classes that train (engine/nn/clipping).

Source    Pascanu, Mikolov & Bengio, On the Difficulty of Training Recurrent Neural Networks, 2013, sec. 3.2
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import nn

from engine.core.registry import clippings


def arrow(g: Sequence[float], kind: str, threshold: float) -> np.ndarray:
    """What is left of a gradient of so many numbers.  KeyError for a kind that there is not."""
    parameter = nn.Parameter(torch.zeros(len(g), dtype=torch.float64))
    parameter.grad = torch.tensor(g, dtype=torch.float64)
    clippings.get(kind)(threshold)([parameter])
    found: np.ndarray = parameter.grad.numpy()
    return found


def turned(g: Sequence[float] | np.ndarray, after: Sequence[float] | np.ndarray) -> float:
    """Degrees between two gradients; 0 where one of them is 0."""
    a, b = np.asarray(g, float), np.asarray(after, float)
    size = np.linalg.norm(a) * np.linalg.norm(b)
    if not size:
        return 0.0
    # by half the angle: exact for small ones too, where a cosine is not
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    return float(np.degrees(2 * np.arctan2(np.linalg.norm(a - b), np.linalg.norm(a + b))))
