"""Dropout in a Transformer, at the four places that are usual: what a mask leaves of the weights and of the answer.

What      y = m x / (1 - p), m = 0 with probability p, else 1: the mean over masks is x.  On attention weights it comes
          after softmax: a row then adds up to 1 in the mean only, to 1 / (1 - p) where nothing of it is dropped
Source    Vaswani et al., Attention Is All You Need, 2017, sec. 5.4 (outputs of both parts, embeddings); on the
          weights: their code, tensor2tensor
Shapes    L = layers, H = heads, T = tokens, V = vocabulary
Differs   The models here are trained with dropout at the last three places; on the weights it is put here, to look at.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from engine.core.tap import Recorder
from engine.models.abilities import Attends
from engine.text.tokenizers.base import Tokens

PLACES = {
    "attention": "attention weights",
    "attention.output": "attention outputs",
    "feed_forward.output": "feed-forward outputs",
    "residual.before": "token embeddings",
}


class Dropped(Recorder):
    """Keeps by name and layer what stands at the four places, in those chosen after a mask."""

    def __init__(self, places: Collection[str], p: float, seed: int) -> None:
        super().__init__(fields=("attention", "probability"))
        self._places, self._p = frozenset(places), p
        self._draw = torch.Generator().manual_seed(seed)
        self.made: dict[tuple[str, int], np.ndarray] = {}

    def edits(self, *names: str) -> bool:
        return not self._places.isdisjoint(names)

    def __call__(self, name: str, value: Any, axes: tuple[str, ...]) -> Any:
        layer = self._at.get("layer", 0)
        here = name in PLACES and (name != "residual.before" or layer == 0)
        if here and name in self._places:
            kept = torch.rand(value.shape, generator=self._draw) >= self._p
            value = value * kept.to(value) / (1 - self._p)
        if here or name == "probability":
            self.made[name, layer] = value[0].detach().float().numpy()
        return value

    def keep(self, name: str, value: Any, axes: tuple[str, ...]) -> None:
        return None


@dataclass(frozen=True, slots=True)
class Read:
    """weights (L, H, T, T) after softmax and mask; after (V,): what comes next; sizes: of each place the mean of
    |x|, and how many numbers are 0 of how many."""

    weights: np.ndarray
    after: np.ndarray
    sizes: dict[str, tuple[float, int, int]]


def read(
    model: Attends[Any], tokens: Tokens, places: Collection[str], p: float, seed: int = 0
) -> Read:
    """The model reads the tokens (at least one) with masks at these places."""
    tap = Dropped(places, p, seed)
    model.run(tokens, tap)
    layers = model.tower.design.layers
    weights = np.stack([tap.made["attention", layer] for layer in range(layers)])
    sizes = {}
    future = np.triu(np.ones(weights.shape[-2:], bool), 1) & model.tower.design.causal
    for name in PLACES:
        every = [x for (of, _), x in tap.made.items() if of == name]
        if name == "attention":  # a weight of the future is 0 anyhow
            every = [x[:, ~future] for x in every]
        whole = np.concatenate([x.ravel() for x in every])
        sizes[name] = float(np.abs(whole).mean()), int((whole == 0).sum()), whole.size
    return Read(weights, tap.made["probability", 0][-1], sizes)
