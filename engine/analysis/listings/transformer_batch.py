"""A block of torch behind a net that puts the batch first."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import drawn, noise


def faulty() -> nn.Module:
    return nn.TransformerEncoderLayer(8, nhead=2)


def repaired() -> nn.Module:
    return nn.TransformerEncoderLayer(8, nhead=2, batch_first=True)


def moved(block: nn.Module, texts: Tensor, text: int, token: int) -> float:
    """How far the first token of the first text moves when one token is exchanged."""
    others = texts.clone()
    others[text, token] = noise(8, seed=9)
    with torch.no_grad():
        return (block(others) - block(texts))[0, 0].abs().max().item()


def measured(program: Program) -> Mapping[str, float]:
    block = drawn(program()).eval()
    texts = noise(2, 4, 8)  # texts, tokens, width
    return {
        "moved by a token of the other text": moved(block, texts, 1, 0),
        "moved by the last token of its own text": moved(block, texts, 0, 3),
    }


LISTING = Listing(
    "Attention between texts",
    "Torch's block takes the first axis for the tokens unless told otherwise. Where the texts come"
    " first, each token then attends to the tokens at the same place of the other texts, and never"
    " to its own sentence. The shapes agree, so nothing fails.",
    faulty,
    repaired,
    measured,
)
