"""Adapters put behind layers in a loop: functions that are made in a loop see its last round."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import torch
from torch import Tensor

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import noise

LAYERS, WIDTH = 12, 6

Layer = Callable[[Tensor], Tensor]


def faulty(layers: Sequence[Layer], adapters: Sequence[Layer]) -> list[Layer]:
    adapted: list[Layer] = []
    for layer, adapter in zip(layers, adapters, strict=True):

        def forward(x: Tensor) -> Tensor:
            return adapter(layer(x))

        adapted.append(forward)
    return adapted


def repaired(layers: Sequence[Layer], adapters: Sequence[Layer]) -> list[Layer]:
    adapted: list[Layer] = []
    for layer, adapter in zip(layers, adapters, strict=True):

        def forward(x: Tensor, layer: Layer = layer, adapter: Layer = adapter) -> Tensor:
            return adapter(layer(x))

        adapted.append(forward)
    return adapted


def measured(program: Program) -> Mapping[str, float]:
    called: list[int] = []

    def adapter(i: int, x: Tensor) -> Tensor:
        called.append(i)
        return x

    weights = [noise(WIDTH, WIDTH, seed=i) for i in range(LAYERS)]
    layers = [partial(torch.matmul, other=w) for w in weights]
    adapted = program(layers, [partial(adapter, i) for i in range(LAYERS)])
    x = noise(1, WIDTH, seed=LAYERS)
    answers = [one(x) for one in adapted]
    right = [bool(y.allclose(x @ w)) for y, w in zip(answers, weights, strict=True)]
    return {
        "different adapters at work in 12 layers": float(len(set(called))),
        "layers that answer with weights of their own": float(sum(right)),
    }


LISTING = Listing(
    "Twelve adapters of which one works",
    "A function that is made in a loop does not remember the layer and the adapter of its round: it looks"
    " them up when it is called, and then the loop has ended with the last. So every layer answers with the"
    " last layer's weights and the last adapter. Values of a parameter are fixed when the function is made;"
    " here they are given so. A part of a net that keeps its own adapter needs no such care.",
    faulty,
    repaired,
    measured,
)
