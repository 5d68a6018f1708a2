"""Texts of different lengths in one batch, each answered from its last place."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import drawn, noise


def faulty(lstm: nn.LSTM, texts: Tensor, lengths: Tensor) -> Tensor:
    out, _ = lstm(texts)
    last: Tensor = out[:, -1]
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
    away = (together - alone).abs().amax(1).tolist()
    return {f"text of {len(t)}: away from alone": x for t, x in zip(texts, away, strict=True)}


LISTING = Listing(
    "The last place is not the last token",
    "Shorter texts are filled up to the length of the longest, and the net reads the filling as if"
    " it were text. At the last place only the longest text has its answer; those of the others"
    " depend on what they happen to stand beside. Packed, every text ends where it ends.",
    faulty,
    repaired,
    measured,
)
