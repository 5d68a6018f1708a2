"""Nets: an LSTM and a small causal Transformer that read numbers, and foretell the next ones as quantiles.

What      z = (x - mean) / deviation of what is read; in: z_t and z_t - z_{t-1}; out, at the last number: how far each
          quantile of each of the next H numbers lies from it.  The median is a sum, and each other quantile lies
          beyond its neighbour by a softplus, so that none cross
Source    Hochreiter & Schmidhuber, 1997; Vaswani et al., 2017; quantiles by pinball loss: Wen et al., A Multi-Horizon
          Quantile Recurrent Forecaster, 2017
Shapes    B = series, L = numbers read (at most CONTEXT), F = features, D = width, H = HORIZON, Q = quantiles
Differs   Direct: all H at once, not each fed back as the next input, so that one reading makes a whole fan.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from engine import ROOT
from engine.lessons.series import sound

HORIZON, CONTEXT, LEAST = 12, 96, 4
QUANTILES = (0.025, 0.1, 0.25, 0.5, 0.75, 0.9, 0.975)
MIDDLE = QUANTILES.index(0.5)
BANDS = {50: (2, 4), 80: (1, 5), 95: (0, 6)}  # per cent: places of their two quantiles
ASSETS = ROOT / "assets" / "series.safetensors"


class Quantiles(nn.Module):
    """From a state, and numbers known ahead, to quantiles that do not cross (B, Q, H)."""

    def __init__(self, width: int, known: int = 0, horizon: int = HORIZON) -> None:
        super().__init__()
        self.horizon = horizon
        self.inner = nn.Linear(width + known, width)
        self.outer = nn.Linear(width, len(QUANTILES) * horizon)

    def forward(self, state_BD: Tensor) -> Tensor:
        raw = self.outer(torch.tanh(self.inner(state_BD))).view(-1, len(QUANTILES), self.horizon)
        middle, apart = raw[:, MIDDLE : MIDDLE + 1], F.softplus(raw)
        below = middle - apart[:, :MIDDLE].flip(1).cumsum(1).flip(1)
        return torch.cat((below, middle, middle + apart[:, MIDDLE + 1 :].cumsum(1)), 1)


class Lstm(nn.Module):
    def __init__(
        self, features: int = 2, width: int = 48, known: int = 0, horizon: int = HORIZON
    ) -> None:
        super().__init__()
        self.cell = nn.LSTM(features, width, batch_first=True)
        self.head = Quantiles(width, known, horizon)

    def states(self, in_BLF: Tensor) -> Tensor:
        found: Tensor = self.cell(in_BLF)[0]
        return found

    def forward(self, in_BLF: Tensor, known_BK: Tensor | None = None) -> Tensor:
        last_BD = self.states(in_BLF)[:, -1]
        found: Tensor = self.head(
            last_BD if known_BK is None else torch.cat((last_BD, known_BK), 1)
        )
        return found


class Block(nn.Module):
    """Pre-norm, causal attention, then a layer of 2 D with GELU."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x_BLD: Tensor) -> Tensor:
        B, L, D = x_BLD.shape
        parts = self.qkv(self.norm(x_BLD)).view(B, L, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(parts[0], parts[1], parts[2], is_causal=True)
        x_BLD = x_BLD + self.out(mixed.transpose(1, 2).reshape(B, L, D))
        return x_BLD + self.down(F.gelu(self.up(self.norm_2(x_BLD))))


class Transformer(nn.Module):
    """`place`: a vector for each place, counted back from the last number."""

    def __init__(self, width: int = 32, heads: int = 4, layers: int = 2) -> None:
        super().__init__()
        self.enter = nn.Linear(2, width)
        self.place = nn.Parameter(0.1 * torch.randn(CONTEXT, width))
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), Quantiles(width)

    def states(self, in_BLF: Tensor) -> Tensor:
        found: Tensor = self.norm(self.blocks(self.enter(in_BLF) + self.place[-in_BLF.shape[1] :]))
        return found

    def forward(self, in_BLF: Tensor) -> Tensor:
        found: Tensor = self.head(self.states(in_BLF)[:, -1])
        return found


def features(x_BL: np.ndarray) -> tuple[Tensor, np.ndarray, np.ndarray]:
    """(what is read (B, L, 2), mean (B, 1), deviation (B, 1))"""
    mean, apart = x_BL.mean(1, keepdims=True), x_BL.std(1, keepdims=True)
    z_BL = (x_BL - mean) / np.where(apart > 1e-9 * (1 + np.abs(mean)), apart, 1.0)
    steps_BL = np.diff(z_BL, axis=1, prepend=z_BL[:, :1])
    return torch.from_numpy(np.stack((z_BL, steps_BL), -1).astype(np.float32)), mean, apart


def pinball(quantile_BQH: Tensor, true_BH: Tensor) -> Tensor:
    """Its mean over quantiles and horizons, for each series."""
    q = torch.tensor(QUANTILES)[None, :, None]
    over = true_BH[:, None] - quantile_BQH
    return torch.maximum(q * over, (q - 1) * over).mean((1, 2))


KINDS: dict[str, Any] = {
    "lstm": Lstm,
    "transformer": Transformer,
    "load": lambda: Lstm(2, 24),
    "weather": lambda: Lstm(3, 24, HORIZON),
    "counting": lambda: Lstm(1, 24, 0, 1),
    "gaps": lambda: Lstm(2, 24, 1, 1),
    "sound": lambda: sound.Labels(True),
    "frame": lambda: sound.Labels(False),
}


@lru_cache(1)
def shipped() -> dict[str, Any]:
    """Every net by its name; OSError or ValueError where the file is missing or damaged."""
    from engine.storage import quantised

    arrays, found = quantised.read(ASSETS), {}
    for name, make in KINDS.items():
        found[name] = net = make().eval().requires_grad_(False)
        own = {k[len(name) + 1 :]: v for k, v in arrays.items() if k.startswith(f"{name}.")}
        net.load_state_dict({k: torch.from_numpy(np.array(v, np.float32)) for k, v in own.items()})
    return found


@torch.inference_mode()
def foretell(name: str, x_BL: np.ndarray) -> np.ndarray:
    """Quantiles (B, Q, H) of what follows, by the LSTM or the Transformer."""
    x_BL = np.asarray(x_BL, float)[:, -CONTEXT:]
    in_BLF, _mean, apart = features(x_BL)
    ahead = shipped()[name](in_BLF).numpy().astype(float)
    return np.asarray(x_BL[:, -1:, None] + apart[..., None] * ahead)


@torch.inference_mode()
def state(name: str, x_L: np.ndarray) -> np.ndarray:
    """(L, D): what it holds after each of the last CONTEXT numbers."""
    found = shipped()[name].states(features(np.asarray(x_L, float)[None, -CONTEXT:])[0])
    return np.asarray(found[0].numpy())


def with_weather(in_BLF: Tensor, degrees_BN: np.ndarray) -> tuple[Tensor, Tensor]:
    """Load with the temperature of each hour, and that of the hours to come."""
    z_BN = torch.from_numpy((degrees_BN - 9) / 6).float()
    L = in_BLF.shape[1]
    return torch.cat((in_BLF, z_BN[:, :L, None]), 2), z_BN[:, L:]


@torch.inference_mode()
def foretell_load(load_BL: np.ndarray, degrees_BN: np.ndarray | None = None) -> np.ndarray:
    """Quantiles (B, Q, H) of the load, from CONTEXT hours of it; with temperatures up to the last one asked for."""
    in_BLF, _mean, apart = features(load_BL)
    if degrees_BN is None:
        ahead = shipped()["load"](in_BLF)
    else:
        ahead = shipped()["weather"](*with_weather(in_BLF, degrees_BN))
    return np.asarray(load_BL[:, -1:, None] + apart[..., None] * ahead.numpy())
