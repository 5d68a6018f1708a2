"""A generator of handwritten digits, and a classifier that tells which kinds it draws.

What      G of 16 normal numbers makes 64 cells, D reads 64; both of two leaky layers, Adam with beta1 = 0.5
          for the Wasserstein loss with its gradient penalty, five steps of D for one of G
Source    Goodfellow et al., Generative Adversarial Nets, 2014; Gulrajani et al., Improved Training of
          Wasserstein GANs, 2017
Shapes    N = digits, Z = 16, K = kinds of digits
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from engine.lessons.convolution import images

LOSSES = {
    "plain": "−ln D (non-saturating)",
    "saturating": "ln(1 − D) (minimax)",
    "wasserstein": "Wasserstein, gradient penalty",
}
NOISE, HIDDEN, BATCH, RATE = 16, 128, 64, 0.0005
PENALTY, TURNS, REPORTS = 10.0, 5, 20
SHOWN, COUNTED = 20, 1000


@dataclass(frozen=True, eq=False)
class Made:
    """Made digits (N, 8, 8), ten on the straight way between two places of the noise, and the shares of the
    kinds (K,) among real and made ones."""

    made_N88: np.ndarray
    between_K88: np.ndarray
    real_K: np.ndarray
    share_K: np.ndarray


def layers(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(inputs, HIDDEN),
        nn.LeakyReLU(0.2),
        nn.Linear(HIDDEN, HIDDEN),
        nn.LeakyReLU(0.2),
        nn.Linear(HIDDEN, outputs),
    )


@cache
def classifier() -> nn.Sequential:
    """Learned from the real digits; 96 % of those held out are right."""
    learned, _held = images.split()
    x, y = torch.tensor(learned.ink.reshape(-1, 64)).float(), torch.tensor(learned.digit)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        net = layers(64, 10)
        optimiser = torch.optim.Adam(net.parameters(), lr=0.002)
        for _step in range(200):
            optimiser.zero_grad()
            functional.cross_entropy(net(x), y).backward()
            optimiser.step()
    return net.requires_grad_(False)


def penalty(d: nn.Module, real: Tensor, made: Tensor) -> Tensor:
    """The mean of (|gradient of D| - 1)^2 between real and made."""
    share = torch.rand(len(real), 1)
    between = (share * real + (1 - share) * made).requires_grad_()
    (slope,) = torch.autograd.grad(d(between).sum(), between, create_graph=True)
    found: Tensor = ((slope.norm(dim=1) - 1) ** 2).mean()
    return found


def train(loss: str, steps: int, seed: int) -> Iterator[tuple[float, Made]]:
    """(share that is done, what G makes by then)."""
    learned, _held = images.split()
    x = torch.tensor(learned.ink.reshape(-1, 64)).float()
    real_K = np.bincount(learned.digit, minlength=10) / len(learned)
    judge = classifier()
    kept = torch.random.get_rng_state()
    torch.manual_seed(seed)
    g, d = layers(NOISE, 64), layers(64, 1)
    fixed = torch.randn(COUNTED, NOISE)
    of_g, of_d = (torch.optim.Adam(one.parameters(), lr=RATE, betas=(0.5, 0.999)) for one in (g, d))
    wasserstein = loss == "wasserstein"
    for step in range(1, steps + 1):
        for _turn in range(TURNS if wasserstein else 1):
            real = x[torch.randint(len(x), (BATCH,))]
            made = torch.sigmoid(g(torch.randn(BATCH, NOISE))).detach()
            r, f = d(real), d(made)
            if wasserstein:
                lost = f.mean() - r.mean() + PENALTY * penalty(d, real, made)
            else:
                lost = functional.softplus(-r).mean() + functional.softplus(f).mean()
            of_d.zero_grad()
            lost.backward()
            of_d.step()
        f = d(torch.sigmoid(g(torch.randn(BATCH, NOISE))))
        each = {"saturating": -functional.softplus(f), "wasserstein": -f}.get(
            loss, functional.softplus(-f)
        )
        of_g.zero_grad()
        each.mean().backward()
        of_g.step()
        if step % max(1, steps // REPORTS) == 0 or step == steps:
            with torch.no_grad():
                made = torch.sigmoid(g(fixed))
                way = torch.lerp(fixed[:1], fixed[1:2], torch.linspace(0, 1, 10)[:, None])
                between = torch.sigmoid(g(way)).numpy().reshape(-1, 8, 8)
                share_K = np.bincount(judge(made).argmax(1).numpy(), minlength=10) / COUNTED
            here, state = (
                Made(made.numpy().reshape(-1, 8, 8), between, real_K, share_K),
                torch.random.get_rng_state(),
            )
            torch.random.set_rng_state(kept)  # nobody else's numbers change while this waits
            yield step / steps, here
            torch.random.set_rng_state(state)
    torch.random.set_rng_state(kept)
