"""The top layers of a trained net, unfrozen for fine-tuning."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import nn

from engine.analysis.listings.base import Listing, Program

LAYERS, WIDTH, HEADS, INNER, CLASSES = 12, 768, 12, 3072, 2  # BERT-base, with two classes


def faulty(layers: nn.ModuleList, head: nn.Module, count: int) -> None:
    layers.requires_grad_(False)
    head.requires_grad_(True)
    for layer in layers[-count:]:
        layer.requires_grad_(True)


def repaired(layers: nn.ModuleList, head: nn.Module, count: int) -> None:
    layers.requires_grad_(False)
    head.requires_grad_(True)
    for layer in layers[len(layers) - count :]:
        layer.requires_grad_(True)


def measured(program: Program) -> Mapping[str, float]:
    with torch.device("meta"):  # shapes alone: nothing is computed with these weights
        layers = nn.ModuleList(
            nn.TransformerEncoderLayer(WIDTH, HEADS, INNER) for _ in range(LAYERS)
        )
        head = nn.Linear(WIDTH, CLASSES)

    def learn(count: int) -> float:
        program(layers, head, count)
        parts = (*layers.parameters(), *head.parameters())
        return sum(part.numel() for part in parts if part.requires_grad) / 1000

    return {
        "thousands of weights that learn, with no layer unfrozen": learn(0),
        "thousands of weights that learn, with one layer unfrozen": learn(1),
        "thousands of weights that learn, with two layers unfrozen": learn(2),
    }


LISTING = Listing(
    "No layer unfrozen is every layer",
    "Fine-tuning often begins with the new head alone and unfreezes the layers below it one by one. In"
    " Python −0 is 0, and what follows from place 0 is the whole list: where no layer should learn,"
    " all twelve do. The counts are those of BERT-base with two classes.",
    faulty,
    repaired,
    measured,
)
