"""Depth: how far up in a net a weight is, how fast it learns for that, and from which step on.

What      depth 0: embeddings and places;  1 ... L: layers;  L + 1: what reads the last one out.
          rate of depth d = rate * layer_decay^(L + 1 - d)
Source    Howard & Ruder, Universal Language Model Fine-tuning for Text Classification, 2018, sec.
          3.2 (discriminative fine-tuning, gradual unfreezing)
Shapes    L = layers
Differs   A table of vectors that reads out too (a tied output) is of depth L + 1.  Of two towers side
          by side, layers of the same number are equally deep.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from torch import nn
from torch.optim import Optimizer

from engine.nn.plan import Plan

LAYER = re.compile(r"(?:^|\.)(?:blocks|layers?|backwards|skips)\.(\d+)\.")
BELOW = re.compile(
    r"(?:^|\.)(?:(?:word_|position_|token_type_)?embed\w*|position|near|segment\w*)\."
)


@runtime_checkable
class Ties(Protocol):
    """A net some of whose embeddings are its output layer as well."""

    @property
    def tied(self) -> tuple[str, ...]:
        """The names of these parameters."""


class Depths:
    """top  that of the output: L + 1"""

    def __init__(self, net: nn.Module) -> None:
        names = [name for name, _ in net.named_parameters()]
        layers = {int(found[1]) for name in names if (found := LAYER.search(name))}
        self.top = 1 + max(layers, default=-1) + 1
        self._tied = net.tied if isinstance(net, Ties) else ()

    def __getitem__(self, name: str) -> int:
        if name in self._tied:
            return self.top
        if found := LAYER.search(name):
            return int(found[1]) + 1
        return 0 if BELOW.search(name) else self.top


class Thawing:
    """Which of the weights that learn do so at a step already; the others wait, frozen."""

    def __init__(self, net: nn.Module, plan: Plan, learning: Mapping[str, nn.Parameter]) -> None:
        depths = Depths(net)
        self._every = plan.thaw_every if plan.tune == "layers" else 0
        self._learning = [(depths.top - depths[name], p) for name, p in learning.items()]
        for name, p in net.named_parameters():
            p.requires_grad_(name in learning)

    def at(self, step: int) -> None:
        if self._every:
            for below, p in self._learning:
                p.requires_grad_(below <= (step - 1) // self._every)


def arrange(
    optimiser: Optimizer, net: nn.Module, plan: Plan, learning: Mapping[str, nn.Parameter]
) -> None:
    """Let an optimiser of all weights take steps of those that learn, in a group for each rate:
    `share` of the training's."""
    depths = Depths(net)
    groups: dict[float, list[nn.Parameter]] = {}
    for name, p in learning.items():
        groups.setdefault(plan.layer_decay ** (depths.top - depths[name]), []).append(p)
    usual = {key: v for key, v in optimiser.param_groups[0].items() if key != "params"}
    optimiser.param_groups[:] = [
        {"params": some, **usual, "share": share} for share, some in groups.items()
    ]
