"""Dropout asked of an LSTM of one layer."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import torch
from torch import Tensor, nn

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import drawn, noise


def faulty(x: Tensor) -> Tensor:
    lstm = drawn(nn.LSTM(3, 4, dropout=0.2))
    out: Tensor = lstm(x)[0]
    return out


def repaired(x: Tensor) -> Tensor:
    lstm, dropout = drawn(nn.LSTM(3, 4)), nn.Dropout(0.2)
    out: Tensor = dropout(lstm(x)[0])
    return out


def measured(program: Program) -> Mapping[str, float]:
    x = noise(100, 3)
    with warnings.catch_warnings(), torch.random.fork_rng(devices=[]):
        warnings.simplefilter("ignore")  # torch warns of the faulty one
        torch.manual_seed(0)
        out, again = program(x), program(x)
    return {
        "share of the outputs dropped": (out == 0).double().mean().item(),
        "two readings apart": (out - again).abs().max().item(),
    }


LISTING = Listing(
    "Dropout between layers, and one layer",
    "Torch's LSTM drops values between its layers, never behind the last one. With one layer there"
    " is no between, so nothing is dropped; torch warns and goes on. A dropout of its own, put"
    " behind the LSTM, does what was meant.",
    faulty,
    repaired,
    measured,
)
