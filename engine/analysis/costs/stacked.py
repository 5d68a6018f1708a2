"""A stack of LSTM layers of any sizes: what each costs, and what comes through.

What      layer l reads D_l numbers, those of the layer below, and has H_l units: 4 H (D + H + 1) parameters.  A
          residual connection adds what a layer reads to what it says, through D H weights where the sizes differ;
          a layer norm behind it has 2 H
Source    Graves, Mohamed & Hinton, Speech Recognition with Deep Recurrent Neural Networks, 2013 (layers on layers);
          Wu et al., Google's Neural Machine Translation System, 2016, sec. 3.1 (residual)
Shapes    T = steps, D = input numbers, H = units
Differs   One bias for each gate; torch keeps two, 4 H more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from engine.nn.cells.lstm import LSTM

MOST, LARGEST = 8, 1024  # layers, units


@dataclass(frozen=True, slots=True)
class Layer:
    """reads and units: D and H; cell, skip and norm: their parameters; spread: of what it says, over steps and units;
    gradient: length of dz / d(what it says), all steps; z is the last layer's last step along a direction drawn at
    random."""

    reads: int
    units: int
    cell: int
    skip: int
    norm: int
    spread: float
    gradient: float

    @property
    def parameters(self) -> int:
        return self.cell + self.skip + self.norm


class Stacked(nn.Module):
    def __init__(self, d: int, sizes: Sequence[int], residual: bool, norm: bool) -> None:
        super().__init__()
        reads = (d, *sizes[:-1])
        self.residual = residual
        self.cells = nn.ModuleList(LSTM(a, b) for a, b in zip(reads, sizes, strict=True))
        self.skips = nn.ModuleList(
            nn.Linear(a, b, bias=False) if residual and a != b else nn.Identity()
            for a, b in zip(reads, sizes, strict=True)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(h) if norm else nn.Identity() for h in sizes)

    def forward(self, x_1TD: Tensor) -> list[Tensor]:
        """What each layer says (1, T, H)."""
        said = list[Tensor]()
        for cell, skip, norm in zip(self.cells, self.skips, self.norms, strict=True):
            h = cell(x_1TD)
            x_1TD = norm(h + skip(x_1TD) if self.residual else h)
            said.append(x_1TD)
        return said


def sizes(written: str) -> list[int]:
    """Of “512, 256, 128”.  ValueError with one sentence where that is no stack."""
    parts = written.replace(",", " ").split()
    if not parts or not all(part.isascii() and part.isdigit() for part in parts):
        raise ValueError("Write whole numbers with commas between them, such as 512, 256, 128.")
    found = [int(part[:6]) for part in parts]
    if len(found) > MOST or not all(1 <= n <= LARGEST for n in found):
        raise ValueError(f"At most {MOST} layers, each of 1 to {LARGEST:,} units.")
    return found


def measured(
    d: int, units: Sequence[int], residual: bool, norm: bool, steps: int = 20, seed: int = 0
) -> list[Layer]:
    """Of an untrained stack that reads so many steps of numbers drawn at random."""
    with torch.random.fork_rng(devices=[]), torch.inference_mode(False), torch.enable_grad():
        torch.manual_seed(seed)
        net = Stacked(d, units, residual, norm)
        said = net(torch.randn(1, steps, d))
        along = torch.randn(units[-1])
        slopes = torch.autograd.grad((said[-1][0, -1] * along).sum(), said)
    counts = [
        [sum(p.numel() for p in part.parameters()) for part in parts]
        for parts in (net.cells, net.skips, net.norms)
    ]
    layers = zip((d, *units[:-1]), units, *counts, said, slopes, strict=True)
    return [
        Layer(a, b, cell - 4 * b, skip, norms, h.std(correction=0).item(), g.norm().item())
        for a, b, cell, skip, norms, h, g in layers
    ]
