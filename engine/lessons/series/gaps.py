"""Gaps: a value seen at irregular hours, read by a net that is told the hours between, and by one that counts steps.

What      x(t) = 6 sin(2 pi t / 24 + phase) + u(t), where u goes back to 0 as exp(-t / 5) and is moved by chance; seen
          behind hours drawn from 0.5 to 3, and one gap in five lasts up to 30
Source    Che et al., Recurrent Neural Networks for Multivariate Time Series with Missing Values, 2018
Shapes    B = series, L = VISITS, F = features
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

VISITS, RETURN, SCALE, HOURS = (
    40,
    5.0,
    6.0,
    8.0,
)  # numbers read; hours; what a value and an hour are divided by


def made(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """(values, hours since the one before), each (B, VISITS + 1)."""
    shape = count, VISITS + 1
    apart = np.where(rng.random(shape) < 0.2, rng.uniform(6, 30, shape), rng.uniform(0.5, 3, shape))
    apart[:, 0] = 0
    phase, u = rng.uniform(0, 2 * np.pi, count), 2 * rng.normal(size=count)
    value, time = np.empty(shape), apart.cumsum(1)
    for n in range(shape[1]):
        kept = np.exp(-apart[:, n] / RETURN)
        u = kept * u + 2 * np.sqrt(1 - kept**2) * rng.normal(size=count)
        value[:, n] = SCALE * np.sin(2 * np.pi * time[:, n] / 24 + phase) + u
    return value, apart


def given(value_BL: np.ndarray, apart_BN: np.ndarray, told: bool) -> tuple[Tensor, ...]:
    """What a net reads: values, or values with the hours before each, and the hours to the one asked for."""
    z = torch.from_numpy(value_BL / SCALE).float()[..., None]
    if not told:
        return (z,)
    hours = torch.from_numpy(apart_BN / HOURS).float()
    return torch.cat((z, hours[:, :-1, None]), 2), hours[:, -1:]


def batch(step: int, told: bool) -> tuple[tuple[Tensor, ...], Tensor, Tensor]:
    value, apart = made(np.random.default_rng((3, step)), 128)
    true = torch.from_numpy((value[:, -1:] - value[:, -2:-1]) / SCALE).float()
    return given(value[:, :-1], apart, told), true, torch.ones(len(value))


@torch.inference_mode()
def foretold(name: str, value_BL: np.ndarray, apart_BN: np.ndarray) -> np.ndarray:
    """Quantiles (B, Q) of the next value, by the net `gaps` or `counting`."""
    from engine.lessons.series import nets

    ahead = nets.shipped()[name](*given(value_BL, apart_BN, name == "gaps"))[..., 0]
    return np.asarray(value_BL[:, -1:] + SCALE * ahead.numpy())
