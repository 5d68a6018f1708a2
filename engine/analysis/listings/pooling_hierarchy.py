"""An LSTM over sentences, on top of one over words."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import drawn, noise


def faulty(sentences: list[Tensor], words: nn.LSTM, document: nn.LSTM) -> Tensor:
    vectors = [words(x)[1][0].squeeze(0) for x in sentences]
    out, _ = document(torch.stack(vectors)[None])
    return out


def repaired(sentences: list[Tensor], words: nn.LSTM, document: nn.LSTM) -> Tensor:
    vectors = [words(x)[1][0][-1, 0] for x in sentences]
    _, (h, _) = document(torch.stack(vectors)[None])
    return h[-1, 0]


def measured(program: Program) -> Mapping[str, float]:
    words, document = (drawn(nn.LSTM(d, 6, batch_first=True), seed) for seed, d in ((0, 3), (1, 6)))
    sentences = [noise(1, n, 3, seed=n) for n in (4, 2, 5)]
    with torch.no_grad():
        found = program(sentences, words, document)
        other = program([*sentences[:2], noise(1, 5, 3, seed=9)], words, document)
    return {
        "numbers in the vector of the document": float(found.numel()),
        "moved by another last sentence": (found - other).abs().max().item(),
    }


LISTING = Listing(
    "A document of sentences, with one axis too many",
    "The last state of a batch of one sentence has an axis for the layers and one for the batch;"
    " squeezing takes one of them away, and three sentences stacked have four axes with the one in"
    " front. And the document is the last state, not all outputs.",
    faulty,
    repaired,
    measured,
)
