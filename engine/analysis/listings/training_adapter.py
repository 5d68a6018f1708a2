"""Adapters put into the layers of a trained net."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import drawn, noise

LAYERS, WIDTH, NARROW = 12, 6, 2


class Adapter(nn.Module):
    """A narrow net of two layers beside a connection that leads past it."""

    def __init__(self) -> None:
        super().__init__()
        self.down, self.up = nn.Linear(WIDTH, NARROW), nn.Linear(NARROW, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.up(self.down(x).relu())


def faulty(layers: list[nn.Module], adapters: list[nn.Module]) -> None:
    for layer, adapter in zip(layers, adapters, strict=True):
        plain = layer.forward

        def adapted(x: Tensor) -> Tensor:
            return adapter(plain(x))

        layer.forward = adapted


def repaired(layers: list[nn.Module], adapters: list[nn.Module]) -> None:
    for layer, adapter in zip(layers, adapters, strict=True):
        plain = layer.forward

        def adapted(x: Tensor, plain: Program = plain, adapter: Program = adapter) -> Tensor:
            return adapter(plain(x))

        layer.forward = adapted


def nets() -> tuple[list[nn.Module], list[nn.Module]]:
    layers = [drawn(nn.Linear(WIDTH, WIDTH), n) for n in range(LAYERS)]
    return [*layers], [drawn(Adapter(), LAYERS + n) for n in range(LAYERS)]


def measured(program: Program) -> Mapping[str, float]:
    layers, adapters = nets()
    x = noise(3, WIDTH)
    with torch.no_grad():
        own = adapters[0](layers[0](x))
        program(layers, adapters)
        off = (layers[0](x) - own).abs().max().item()
    for layer in layers:
        x = layer(x)
    x.square().sum().backward()

    def used(nets: list[nn.Module]) -> int:
        return sum(next(net.parameters()).grad is not None for net in nets)

    return {
        "layers that are used": used(layers),
        "adapters that are used": used(adapters),
        "first layer, away from its own answer": off,
    }


LISTING = Listing(
    "An adapter in each layer, and only one at work",
    "A function made in a loop looks up the names of the loop when it is called, not when it is made."
    " By then both names stand for the last round: every layer runs the last layer with the last"
    " adapter. Values given as defaults are those of their own round.",
    faulty,
    repaired,
    measured,
)
