"""An encoder whose forget gates begin half shut."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import nn

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import drawn, noise

WORDS, WIDTH, UNITS = 20, 3, 4


def faulty(lstm: nn.LSTM, h: int) -> None:
    *_, bias, other = lstm.parameters()
    bias.data.zero_()
    other.data.zero_()


def repaired(lstm: nn.LSTM, h: int) -> None:
    *_, bias, other = lstm.parameters()
    bias.data.zero_()
    other.data.zero_()
    bias.data[h : 2 * h] = 1


def measured(program: Program) -> Mapping[str, float]:
    lstm = drawn(nn.LSTM(WIDTH, UNITS))
    program(lstm, UNITS)
    source = noise(WORDS, WIDTH).requires_grad_()
    _, (_, memory) = lstm(source)
    (slope,) = torch.autograd.grad(memory.sum(), source)
    *_, bias, other = lstm.parameters()
    gate = torch.sigmoid(bias + other)[UNITS : 2 * UNITS].mean().item()
    return {
        "forget gate on nothing": gate,
        "gradient at the last word": slope[-1].norm().item(),
        f"gradient at the first word, of {WORDS}": slope[0].norm().item(),
    }


LISTING = Listing(
    "A memory that begins half shut",
    "With a forget bias of 0 the gate begins at 0.5: a step keeps half of the memory, and half of"
    " the gradient on its way back. What the loss has to say about the first words of a sentence"
    " hardly reaches them. A bias of 1 opens the gate to 0.73 before training starts.",
    faulty,
    repaired,
    measured,
)
