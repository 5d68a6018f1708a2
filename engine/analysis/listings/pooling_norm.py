"""A layer norm behind an LSTM whose state is not normalised."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import drawn, noise


def faulty(lstm: nn.LSTM, norm: nn.LayerNorm, x: Tensor) -> tuple[Tensor, Tensor]:
    out, (h, _) = lstm(x)
    return norm(out), h[-1]


def repaired(lstm: nn.LSTM, norm: nn.LayerNorm, x: Tensor) -> tuple[Tensor, Tensor]:
    out, (h, _) = lstm(x)
    return norm(out), norm(h[-1])


def measured(program: Program) -> Mapping[str, float]:
    with torch.no_grad():
        out, h = program(drawn(nn.LSTM(3, 6)), nn.LayerNorm(6), noise(7, 3))
    return {
        "last output and last state differ by": (out[-1] - h).abs().max().item(),
        "spread of the last output": out[-1].std(correction=0).item(),
        "spread of the last state": h.std(correction=0).item(),
    }


LISTING = Listing(
    "Two last states",
    "The outputs are normalised, the state that is returned beside them is not. Whoever classifies by"
    " the state, or hands it to a decoder, reads another vector than the last output. The recurrence"
    " itself is never normalised.",
    faulty,
    repaired,
    measured,
)
