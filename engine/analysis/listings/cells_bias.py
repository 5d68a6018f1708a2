"""A forget bias of 1, set in both of torch's biases."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import nn

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import drawn


def faulty(lstm: nn.LSTM, h: int) -> None:
    for name, part in lstm.named_parameters():
        if "bias" in name:
            part.data.zero_()
            part.data[h : 2 * h] = 1


def repaired(lstm: nn.LSTM, h: int) -> None:
    for name, part in lstm.named_parameters():
        if "bias" in name:
            part.data.zero_()
        if "bias_ih" in name:
            part.data[h : 2 * h] = 1


def measured(program: Program) -> Mapping[str, float]:
    lstm, h = drawn(nn.LSTM(3, 4)), 4
    program(lstm, h)
    _, _, b1, b2 = lstm.parameters()
    bias = (b1 + b2)[h : 2 * h].mean().detach()
    gate = torch.sigmoid(bias).item()
    return {
        "forget bias": bias.item(),
        "forget gate on nothing": gate,
        "left of a memory after 10 tokens": gate**10,
    }


LISTING = Listing(
    "A forget bias that is set twice",
    "The cell adds its two biases, so a 1 in both is a 2. The gate begins at 0.88 and not at 0.73."
    " That need not be worse, but it is not what was asked for.",
    faulty,
    repaired,
    measured,
)
