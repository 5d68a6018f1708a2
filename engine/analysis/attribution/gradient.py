"""Attribution by gradients of the vectors of tokens: how steep, steep times vector, along a path, on average near by.

What      gradient            ||df/dx_t||
          gradient x input    (x_t - x'_t) . df/dx_t
          integrated          (x_t - x'_t) . integral over a from 0 to 1 of df/dx_t at x' + a (x - x');
                              summed over t it is f(x) - f(x')
          SmoothGrad          ||mean over n of df/dx_t at x + e_n||, e_n normal, as wide as `share` of the range of x
Source    Simonyan, Vedaldi & Zisserman, Deep Inside Convolutional Networks, 2014; Shrikumar et al., Not Just a Black
          Box, 2016; Sundararajan, Taly & Yan, Axiomatic Attribution for Deep Networks, 2017; Smilkov et al.,
          SmoothGrad, 2017
Shapes    T = tokens, D = width, S = steps, N = samples
Differs   Gradient x input is measured from the same baseline x' as the path: with zeros it is the source's.  The
          integral is Gauss's rule with S points, which needs fewer than equal steps do.  All of them are one batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import torch
from torch import Tensor

from engine.analysis.attribution.net import NetGame

STEPS, SAMPLES, NOISE = 16, 8, 0.1


@dataclass(frozen=True, slots=True)
class Slopes:
    """gradient, times_input, integrated, smooth: one number for each token (T,), in bits, or bits per unit."""

    gradient: np.ndarray
    times_input: np.ndarray
    integrated: np.ndarray
    smooth: np.ndarray


@cache
def rule(steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss and Legendre's points between 0 and 1 (S,), and their weights, which sum to 1."""
    at_S, weight_S = np.polynomial.legendre.leggauss(steps)
    return (1 + at_S) / 2, weight_S / 2


def noise(game: NetGame, samples: int = SAMPLES, share: float = NOISE, seed: int = 0) -> Tensor:
    """(N, T, D)"""
    x_TD = game.x_TD
    made = torch.Generator().manual_seed(seed)
    wide = share * float(x_TD.max() - x_TD.min())
    return torch.randn((samples, *x_TD.shape), generator=made).to(x_TD.device) * wide


def path(game: NetGame, at_S: np.ndarray) -> Tensor:
    """(S, T, D) between the baselines (0) and the text (1)."""
    at_S11 = torch.from_numpy(at_S).to(game.x_TD)[:, None, None]
    return game.base_TD + at_S11 * (game.x_TD - game.base_TD)


def own(game: NetGame) -> tuple[np.ndarray, np.ndarray]:
    """The first two of them alone (T,), of the text as it is."""
    _, g_1TD = game.slope(game.x_TD[None])
    times_T = (g_1TD[0] * (game.x_TD - game.base_TD)).sum(-1)
    return g_1TD[0].norm(dim=-1).double().cpu().numpy(), times_T.double().cpu().numpy()


def slopes(game: NetGame, steps: int = STEPS, noise_NTD: Tensor | None = None) -> Slopes:
    noise_NTD = noise(game) if noise_NTD is None else noise_NTD
    at_S, weight_S = rule(steps)
    rows = [game.x_TD[None], path(game, at_S), game.x_TD + noise_NTD]
    _, g_BTD = game.slope(torch.cat(rows))
    own_TD, along_STD, near_NTD = g_BTD[0], g_BTD[1 : 1 + steps], g_BTD[1 + steps :]
    away_TD = game.x_TD - game.base_TD
    mean_TD = torch.einsum("s,std->td", torch.from_numpy(weight_S).to(g_BTD), along_STD)
    found = (
        own_TD.norm(dim=-1),
        (own_TD * away_TD).sum(-1),
        (mean_TD * away_TD).sum(-1),
        near_NTD.mean(0).norm(dim=-1),
    )
    return Slopes(*(one.double().cpu().numpy() for one in found))


def integrated(game: NetGame, steps: int) -> np.ndarray:
    """The third of them alone (T,)."""
    at_S, weight_S = rule(steps)
    _, g_STD = game.slope(path(game, at_S))
    mean_TD = torch.einsum("s,std->td", torch.from_numpy(weight_S).to(g_STD), g_STD)
    found: np.ndarray = (mean_TD * (game.x_TD - game.base_TD)).sum(-1).double().cpu().numpy()
    return found
