"""Sparse autoencoder: one layer's vectors as sums of few directions out of many, learned from vectors alone.

What      f = ReLU(W_e (x - b_d) + b_e), of which TopK keeps the k largest;
          x' = W_d f + b_d, columns of W_d of length 1;
          loss = mean |x - x'|^2 + L1 sum f (TopK: without the second term), of vectors scaled to a mean length of
          sqrt(D)
Source    Bricken et al., Towards Monosemanticity, 2023; Cunningham et al., Sparse Autoencoders Find Highly
          Interpretable Features in Language Models, 2024; TopK: Gao et al., Scaling and Evaluating Sparse Autoencoders,
          2024
Shapes    M = vectors, D = their width, F = features
Differs   No feature that died is drawn anew; how many died is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn

Way = Literal["l1", "topk"]
BATCH, EVERY = 256, 20  # vectors of a step; steps between two that are measured
ALIVE = 1e-6  # a feature that answers less often than never


@dataclass(frozen=True)
class Settings:
    """features  how many; `sparse`: the weight of L1, or k of TopK"""

    features: int = 192
    way: Way = "topk"
    sparse: float = 8.0
    steps: int = 1_000
    rate: float = 2e-3
    seed: int = 0


class Autoencoder(nn.Module):
    def __init__(self, d: int, settings: Settings) -> None:
        super().__init__()
        torch_seed = torch.Generator().manual_seed(settings.seed)
        first = torch.randn(settings.features, d, generator=torch_seed)
        first = first / first.norm(dim=1, keepdim=True)
        self.settings = settings
        self.encoder, self.into = (
            nn.Parameter(first.clone()),
            nn.Parameter(torch.zeros(settings.features)),
        )
        self.decoder, self.middle = nn.Parameter(first.clone()), nn.Parameter(torch.zeros(d))

    def features(self, x_MD: Tensor) -> Tensor:
        f_MF = torch.relu((x_MD - self.middle) @ self.encoder.T + self.into)
        if self.settings.way == "l1":
            return f_MF
        k = min(int(self.settings.sparse), f_MF.shape[1])
        value_Mk, at_Mk = f_MF.topk(k)
        return torch.zeros_like(f_MF).scatter(1, at_Mk, value_Mk)

    def rebuilt(self, f_MF: Tensor) -> Tensor:
        return f_MF @ self.decoder + self.middle

    def loss(self, x_MD: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The loss, the features, and what is rebuilt of them."""
        f_MF = self.features(x_MD)
        y_MD = self.rebuilt(f_MF)
        loss = (x_MD - y_MD).square().sum(1).mean()
        if self.settings.way == "l1":
            loss = loss + self.settings.sparse * f_MF.sum(1).mean()
        return loss, f_MF, y_MD

    @torch.no_grad()
    def normalise(self) -> None:
        self.decoder.div_(self.decoder.norm(dim=1, keepdim=True).clamp_min(1e-8))


@dataclass(frozen=True, eq=False)
class Dictionary:
    """A trained one; `scale`: what vectors are divided by before it reads them."""

    net: Autoencoder
    scale: float
    rows: list[dict[str, float]] = field(default_factory=list)

    @torch.no_grad()
    def features(self, x_MD: np.ndarray) -> np.ndarray:
        found: np.ndarray = self.net.features(
            torch.from_numpy(x_MD.astype(np.float32)) / self.scale
        ).numpy()
        return found

    @torch.no_grad()
    def rebuilt(self, x: Tensor) -> Tensor:
        """Vectors (..., D) as the sums of their features."""
        flat = x.flatten(0, -2) / self.scale
        found: Tensor = self.net.rebuilt(self.net.features(flat)) * self.scale
        return found.view_as(x)

    @cached_property
    def directions(self) -> np.ndarray:
        """(F, D) of length 1."""
        found: np.ndarray = self.net.decoder.detach().numpy()
        return found


def learn(x_MD: np.ndarray, settings: Settings) -> Iterator[Dictionary]:
    """The dictionary on its way, with what was measured so far; the last one is done.  ValueError where the loss is no
    number any more."""
    scale = float(np.sqrt((x_MD**2).sum(1).mean() / x_MD.shape[1])) or 1.0
    x = torch.from_numpy(x_MD.astype(np.float32)) / scale
    net = Autoencoder(x.shape[1], settings)
    with torch.no_grad():
        net.middle.copy_(x.mean(0))
    optimiser = torch.optim.Adam(net.parameters(), lr=settings.rate)
    draw = torch.Generator().manual_seed(settings.seed)
    found = Dictionary(net, scale)
    spread = float((x - x.mean(0)).square().sum(1).mean())
    for step in range(1, settings.steps + 1):
        some = x[torch.randint(len(x), (min(BATCH, len(x)),), generator=draw)]
        for group in optimiser.param_groups:  # the last fifth falls to nothing
            group["lr"] = settings.rate * min(1.0, 5 * (1 - (step - 1) / settings.steps))
        loss, f_MF, y_MD = net.loss(some)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        net.normalise()
        if not torch.isfinite(loss):
            raise ValueError(
                "The loss is no number any more; take a lower learning rate or a weaker penalty."
            )
        if step % EVERY == 0 or step == settings.steps:
            found.rows.append(
                {
                    "step": step,
                    "loss": loss.item(),
                    "L0": (f_MF > 0).sum(1).float().mean().item(),
                    "explained": 1
                    - (some - y_MD).square().sum(1).mean().item() / max(spread, 1e-12),
                }
            )
            yield found


@dataclass(frozen=True)
class Scores:
    """l0        features that are on, on average
    explained  share of the variance
    dead       features that are on nowhere
    """

    l0: float
    explained: float
    dead: int


def score(of: Dictionary, x_MD: np.ndarray) -> Scores:
    """On vectors that it has not learned from."""
    f_MF = of.features(x_MD)
    with torch.no_grad():
        y_MD = of.rebuilt(torch.from_numpy(x_MD.astype(np.float32))).numpy()
    spread = ((x_MD - x_MD.mean(0)) ** 2).sum(1).mean()
    left = ((x_MD - y_MD) ** 2).sum(1).mean()
    return Scores(
        float((f_MF > 0).sum(1).mean()),
        float(1 - left / max(spread, 1e-12)),
        int((~(f_MF > ALIVE).any(0)).sum()),
    )
