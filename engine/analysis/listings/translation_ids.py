"""An encoder that expects vectors and is given the numbers of words."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import drawn

VOCABULARY, WIDTH, UNITS = 7, 2, 3
SOURCE = ((1, 4, 2, 6), (5, 3, 3, 1))  # texts, words


def faulty(embed: nn.Embedding, lstm: nn.LSTM, source: Tensor) -> Tensor:
    """source: texts, words."""
    texts, _, _ = source.shape
    start = torch.zeros(lstm.num_layers, texts, lstm.hidden_size)
    _, (state, _) = lstm(source, (start, start))
    last: Tensor = state[-1]
    return last


def repaired(embed: nn.Embedding, lstm: nn.LSTM, source: Tensor) -> Tensor:
    """source: texts, words."""
    texts, _ = source.shape
    start = torch.zeros(lstm.num_layers, texts, lstm.hidden_size)
    _, (state, _) = lstm(embed(source), (start, start))
    last: Tensor = state[-1]
    return last


def nets() -> tuple[nn.Embedding, nn.LSTM]:
    return drawn(nn.Embedding(VOCABULARY, WIDTH)), drawn(nn.LSTM(WIDTH, UNITS, batch_first=True), 1)


def measured(program: Program) -> Mapping[str, float]:
    state = program(*nets(), torch.tensor(SOURCE))
    return {
        "texts read": len(state),
        "largest difference of their states": (state[0] - state[1]).abs().max().item(),
    }


LISTING = Listing(
    "Word numbers where vectors are due",
    "What a tokenizer gives has two axes, texts and words, and the encoder unpacks three: it was"
    " written for vectors, and no layer makes them. An embedding looks up one for each number. (The"
    " number itself, as a vector of width 1, would run, and say that word 6 is twice word 3.)",
    faulty,
    repaired,
    measured,
)
