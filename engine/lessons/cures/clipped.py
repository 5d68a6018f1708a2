"""What clipping does to one gradient, and to a stream of them.

What      one: by norm, by value, or adaptively, by the classes that train (engine/nn/clipping)
          a stream of lengths |g_t| against a threshold that follows them:
            as noted     theta_t = a theta_{t-1} + (1 - a) |g_t|, and g_t is held against theta_t
            by the past  g_t is held against theta_{t-1}; theta_t = a theta_{t-1} + (1 - a) |g_t after|
            twice        the same, held against 2 mean_{t-1}; the mean begins at theta_0 / 2
Source    Pascanu, Mikolov & Bengio, On the Difficulty of Training Recurrent Neural Networks, 2013,
          sec. 3.2
Shapes    T = steps
Differs   Nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from engine.core.registry import clippings

WAYS = {
    "noted": "the gradient itself enters first",
    "past": "the clipped one enters afterwards",
    "twice": "the same, and twice the mean is allowed",
}


def clip(gradients: Iterable[Tensor], kind: str, threshold: float) -> list[Tensor]:
    """What is left of the gradients of one net.  KeyError for a kind that there is not."""
    held = []
    for gradient in gradients:
        parameter = nn.Parameter(torch.zeros_like(gradient))
        parameter.grad = gradient.detach().clone()
        held.append(parameter)
    clippings.get(kind)(threshold)(held)
    return [p.grad for p in held if p.grad is not None]


def arrow(g: Sequence[float], kind: str, threshold: float) -> np.ndarray:
    """What is left of a gradient of so many numbers."""
    (found,) = clip([torch.tensor(g, dtype=torch.float64)], kind, threshold)
    return found.numpy()


def turned(g: Sequence[float] | np.ndarray, after: Sequence[float] | np.ndarray) -> float:
    """Degrees between two gradients; 0 where one of them is 0."""
    a, b = np.asarray(g, float), np.asarray(after, float)
    size = np.linalg.norm(a) * np.linalg.norm(b)
    if not size:
        return 0.0
    # by half the angle: exact for small ones too, where a cosine is not
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    return float(np.degrees(2 * np.arctan2(np.linalg.norm(a - b), np.linalg.norm(a + b))))


def stream(
    norms: Iterable[float], first: float, kept: float, way: str
) -> tuple[np.ndarray, np.ndarray]:
    """(T,) the threshold that each gradient is held against, and how long it is after it.

    kept  the share of the old mean that stays
    way   one of WAYS; KeyError for another
    """
    times = {"noted": 1.0, "past": 1.0, "twice": 2.0}[way]
    mean, held, after = first / times, [], []
    for norm in norms:
        if way == "noted":
            mean = kept * mean + (1 - kept) * norm
        held.append(times * mean)
        after.append(min(norm, held[-1]))
        if way != "noted":
            mean = kept * mean + (1 - kept) * after[-1]
    return np.array(held), np.array(after)


def layers(net: Iterable[nn.Module], kind: str, threshold: float) -> np.ndarray:
    """(L,) how long the gradient of each layer is, all clipped together."""
    parts = [[p.grad for p in layer.parameters() if p.grad is not None] for layer in net]
    left = iter(clip([g for part in parts for g in part], kind, threshold))
    return np.array([float(nn.utils.get_total_norm([next(left) for _ in part])) for part in parts])
