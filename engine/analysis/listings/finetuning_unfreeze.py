"""The last n layers unfrozen, for n = 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from torch import nn

from engine.analysis.listings.base import Listing, Program

LAYERS, EACH = 12, 7_087_872  # of BERT-base, and the numbers of one


def faulty(layers: Sequence[nn.Parameter], n: int) -> None:
    for layer in layers:
        layer.requires_grad = False
    for layer in layers[-n:]:
        layer.requires_grad = True


def repaired(layers: Sequence[nn.Parameter], n: int) -> None:
    for i, layer in enumerate(layers):
        layer.requires_grad = i >= len(layers) - n


def measured(program: Program) -> Mapping[str, float]:
    found = {}
    for n in (2, 1, 0):
        layers = [nn.Parameter() for _ in range(LAYERS)]
        program(layers, n)
        learning = sum(layer.requires_grad for layer in layers)
        found[f"numbers that learn in the layers, for n = {n}"] = float(EACH * learning)
    return found


LISTING = Listing(
    "No layer unfrozen, and all of them learn",
    "`layers[-n:]` are the last n layers, but for n = 0 it is `layers[0:]`: all of them. Whoever begins with"
    " the head alone trains the whole of BERT instead, 85,054,464 numbers, and nothing fails.",
    faulty,
    repaired,
    measured,
)
