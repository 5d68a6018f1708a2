"""Texts packed in the order in which they came."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import drawn, noise


def faulty(lstm: nn.LSTM, texts: Tensor, lengths: Tensor) -> Tensor:
    packed = pack_padded_sequence(texts, lengths, batch_first=True)
    _, (h, _) = lstm(packed)
    last: Tensor = h[-1]
    return last


def repaired(lstm: nn.LSTM, texts: Tensor, lengths: Tensor) -> Tensor:
    packed = pack_padded_sequence(texts, lengths, batch_first=True, enforce_sorted=False)
    _, (h, _) = lstm(packed)
    last: Tensor = h[-1]
    return last


def measured(program: Program) -> Mapping[str, float]:
    lstm = drawn(nn.LSTM(3, 4, batch_first=True))
    texts = [noise(n, 3, seed=n) for n in (2, 5, 3)]
    together = program(lstm, pad_sequence(texts, batch_first=True), torch.tensor([2, 5, 3]))
    alone = torch.stack([lstm(text)[0][-1] for text in texts])
    return {"farthest from a text read alone": (together - alone).abs().max().item()}


LISTING = Listing(
    "Lengths that are not sorted",
    "Torch packs the longest text first and expects to be given the texts in that order. Batches"
    " come in any order, so this program runs until a longer text follows a shorter one. Told that"
    " they are not sorted, torch sorts them and puts the answers back into their places.",
    faulty,
    repaired,
    measured,
)
