"""Noise scale: how much the gradient of a batch differs from that of all text, and what batch that
calls for.

What      g_i = gradient of one window; G = its mean over all text; S = covariance of g_i
          a batch of B windows: E |G_B|^2 = |G|^2 + tr S / B
          noise scale, simple: B_noise = tr S / |G|^2, the batch at which noise and signal are equal
          without bias: |G|^2 = mean of g_i . g_j over pairs i != j;  tr S = mean of |g_i|^2 - |G|^2
Source    McCandlish, Kaplan & Amodei, An Empirical Model of Large-Batch Training, 2018, sec. 2.2 and
          appendix A.1
Shapes    N = windows; P = parameters of the net
Differs   All products g_i . g_j are computed, not only the lengths at two sizes of a batch; both
          estimates follow from them.  A window of so many tokens is one example, as in training.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from engine.language.message import refusal
from engine.models.neural import NeuralLanguageModel, copy_apart
from engine.nn.loop import nats

WINDOWS, SPAN = 64, 64


@dataclass(frozen=True, slots=True)
class Noise:
    """products (N, N) of the gradients of N windows, float64; losses (N) in nats."""

    products: np.ndarray
    losses: np.ndarray
    parameters: int

    @property
    def count(self) -> int:
        return len(self.products)

    @property
    def signal(self) -> float:
        """|G|^2, without bias; chance can make it negative where it is small."""
        n = self.count
        return float((self.products.sum() - np.trace(self.products)) / (n * (n - 1)))

    @property
    def spread(self) -> float:
        """tr S."""
        return float(np.trace(self.products) / self.count) - self.signal

    @property
    def scale(self) -> float:
        """B_noise in windows; infinite where no signal is left of the noise."""
        return self.spread / self.signal if self.signal > 0 else math.inf

    def apart(self) -> tuple[float, float]:
        """B_noise of either half of the windows: how far chance moves it."""
        half = self.count // 2
        one, other = (
            Noise(self.products[s, s], self.losses[s], self.parameters)
            for s in (slice(half), slice(half, None))
        )
        return one.scale, other.scale

    def batches(self, size: int) -> list[slice]:
        """The windows in batches of one size, one after the other."""
        return [slice(i, i + size) for i in range(0, self.count - size + 1, size)]

    def length(self, size: int) -> float:
        """Mean of |G_B|^2 over the batches of this size."""
        return float(np.mean([self.products[s, s].mean() for s in self.batches(size)]))

    def cosine(self, size: int) -> float:
        """Mean cosine of the gradient of a batch with that of all other windows."""
        found = []
        for s in self.batches(size):
            rest = np.r_[0 : s.start, s.stop : self.count]
            between = self.products[s][:, rest].mean()
            lengths = self.products[s, s].mean() * self.products[np.ix_(rest, rest)].mean()
            found.append(between / math.sqrt(lengths))
        return float(np.mean(found))

    def sizes(self) -> list[int]:
        """1, 2, 4 ... half of the windows."""
        return [2**i for i in range(int(math.log2(self.count // 2)) + 1)]


def windows(
    model: NeuralLanguageModel[Any], text: str, count: int, span: int, seed: int
) -> torch.Tensor:
    """Ids (N, span + 1) from random places.  ValueError where the text is shorter than two."""
    ids = model.tokens(text).ids
    if len(ids) < 2 * (span + 1):
        raise refusal(
            "the text has {n:,} tokens; {least:,} are wanted at least",
            n=len(ids),
            least=2 * (span + 1),
        )
    starts = np.random.default_rng(seed).integers(0, len(ids) - span, count)
    return torch.from_numpy(np.stack([ids[s : s + span + 1] for s in starts]).astype(np.int64))


def gradient(model: NeuralLanguageModel[Any], ids_NT: torch.Tensor) -> tuple[torch.Tensor, float]:
    """That of the mean loss over these windows, all parameters behind one another (P), and the
    loss in nats.  The parameters must be such that gradients are kept of, as `copy_apart` makes them."""
    net = model.net
    weights = [p for p in net.parameters() if p.is_floating_point()]
    with torch.enable_grad():
        y = ids_NT[:, 1:]
        loss = nats(net(ids_NT[:, :-1]), y, y)
        found = torch.autograd.grad(loss, weights, allow_unused=True)
    parts = [
        torch.zeros_like(p).flatten() if g is None else g.flatten()
        for p, g in zip(weights, found, strict=True)
    ]
    return torch.cat(parts), loss.item()


def measure(
    model: NeuralLanguageModel[Any],
    text: str,
    count: int = WINDOWS,
    span: int = SPAN,
    seed: int = 0,
) -> Noise:
    """Of a trained run, on a text.  The net stays as it is."""
    ids_NT, model = windows(model, text, count, span, seed), copy_apart(model)
    gradients, losses = [], []
    for n in range(count):
        g_P, loss = gradient(model, ids_NT[n : n + 1])
        gradients.append(g_P)
        losses.append(loss)
    g_NP = torch.stack(gradients)
    products = (g_NP.double() @ g_NP.double().T).numpy() if g_NP.numel() < 2e7 else _in_parts(g_NP)
    return Noise(products, np.array(losses), g_NP.shape[1])


def _in_parts(g_NP: torch.Tensor) -> np.ndarray:
    """The products in float64 without a copy of all gradients in float64."""
    found = torch.zeros(len(g_NP), len(g_NP), dtype=torch.float64)
    for part in g_NP.split(1_000_000, 1):
        found += part.double() @ part.double().T
    return found.numpy()
