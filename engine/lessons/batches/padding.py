"""Padding: lines of unequal length in one matrix, what is wasted, and what goes wrong without a mask.

What      waste    cells that hold no token, over all cells of the batches
          order    as they come; sorted within pools of `pool` batches (engine/nn/windows.py draws
                   from pools of 8); packed: of each batch the longest line first, and only tokens
          packed   step by step the tokens of the lines that still go on; batch_sizes says how many
          mask     loss = sum of m L / sum of m; without it the sum is divided by all cells, or by
                   the number of lines
Source    Khomenko et al., Accelerating Recurrent Neural Network Training Using Sequence Bucketing
          and Multi-GPU Data Parallelization, 2016; torch.nn.utils.rnn.pack_padded_sequence
Shapes    N = lines, B = rows of a batch, T = its longest line
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence

from engine.models.neural import NeuralLanguageModel, copy_apart
from engine.nn import windows
from engine.nn.plan import Plan

END = re.compile(r"\n+|(?<=[.!?])\s+")


def lines_of(text: str, count: int, longest: int) -> list[str]:
    """The first lines of a text, a sentence each, cut behind so many characters."""
    found = (line.strip()[:longest] for line in END.split(text))
    return list(islice((line for line in found if line), count))


def batches(lengths: Sequence[int], size: int, pool: int = 1) -> list[list[int]]:
    """Numbers of the lines of each batch of `size`; within each `pool` of batches the lines are
    sorted by length, if it is more than one."""
    order = list(range(len(lengths)))
    if pool > 1:
        together = pool * size
        order = [
            i
            for at in range(0, len(order), together)
            for i in sorted(order[at : at + together], key=lengths.__getitem__)
        ]
    return [order[at : at + size] for at in range(0, len(order), size)]


def waste(lengths: Sequence[int], rows: Sequence[Sequence[int]], width: int = 0) -> float:
    """Share of the cells that hold no token; `width`: all batches are as wide as that."""
    cells = sum(len(some) * (width or max(lengths[i] for i in some)) for some in rows)
    return 1 - sum(lengths[i] for some in rows for i in some) / cells if cells else 0.0


def drawn(lengths: Sequence[int], size: int, draws: int = 50, seed: int = 0) -> float:
    """The waste of batches as the training room draws them of these passages."""
    stream = np.concatenate([np.r_[0, np.ones(n - 1, np.int64)] for n in lengths if n > 1] + [[0]])
    plan = Plan(steps=draws, batch=size, span=max(lengths), rate=0.1)
    drawing = windows.Passages(stream, plan, 0)
    filled = [drawing.draw(seed, step)[1] == windows.NOTHING for step in range(draws)]
    return sum(int(f.sum()) for f in filled) / sum(f.numel() for f in filled)


@dataclass(frozen=True, slots=True)
class Packed:
    """order: rows, the longest first; sizes: how many go on at each step; `at`: (row, step) of each
    number of the packed data, in its order."""

    order: tuple[int, ...]
    sizes: tuple[int, ...]
    at: tuple[tuple[int, int], ...]


def packed(lengths: Sequence[int]) -> Packed:
    """As torch packs a batch of lines of these lengths."""
    longest = max(lengths)
    place = torch.arange(len(lengths) * longest).view(len(lengths), longest, 1)
    made = pack_padded_sequence(
        place, torch.tensor(lengths), batch_first=True, enforce_sorted=False
    )
    order = made.sorted_indices
    at = made.data[:, 0].tolist()
    return Packed(
        tuple(order.tolist()) if order is not None else tuple(range(len(lengths))),
        tuple(made.batch_sizes.tolist()),
        tuple(divmod(n, longest) for n in at),
    )


@dataclass(frozen=True, slots=True)
class Losses:
    """In nats, of one batch, each token predicted from those before it.

    tokens, cells, lines  the sum of the losses of real tokens over how many there are
    taught                the mean over all cells, where the padding is a target as well
    """

    total: float
    real: int
    every: int
    rows: int
    taught: float

    @property
    def by_tokens(self) -> float:
        return self.total / self.real

    @property
    def by_cells(self) -> float:
        return self.total / self.every

    @property
    def by_lines(self) -> float:
        return self.total / self.rows


@dataclass(frozen=True, slots=True)
class Ends:
    """Of one line: its hidden state behind its last token, read alone, and what stands at the last
    place of the padded batch.  `away` is how far they are apart, over the length of the right one."""

    right: np.ndarray
    wrong: np.ndarray
    same: float  # largest difference where the state is taken at the last token of the batch

    @property
    def away(self) -> float:
        return float(np.linalg.norm(self.right - self.wrong) / np.linalg.norm(self.right))


def read(model: NeuralLanguageModel[Any], lines: Sequence[np.ndarray]) -> tuple[Losses, list[Ends]]:
    """One padded batch through a recurrent net, and each line alone.

    lines  ids, each at least two: the last one is only a target
    """
    net = copy_apart(model).net
    x_BT, y_BT = windows.filled([np.asarray(line) for line in lines])
    real = y_BT != windows.NOTHING
    with torch.no_grad():
        after: list[tuple[torch.Tensor, ...]] = []
        logits = net(x_BT, before=[], after=after)
        flat = logits.float().flatten(0, 1)
        each = F.cross_entropy(flat, y_BT.flatten(), reduction="none").view_as(y_BT)
        taught = F.cross_entropy(flat, torch.where(real, y_BT, 0).flatten())
        ends = []
        for n, line in enumerate(lines):
            alone: list[tuple[torch.Tensor, ...]] = []
            found = net(x_BT[n : n + 1, : len(line) - 1], before=[], after=alone)
            ends.append(
                Ends(
                    alone[-1][0][0].numpy(),
                    after[-1][0][n].numpy(),
                    (found[0] - logits[n, : len(line) - 1]).abs().max().item(),
                )
            )
    return (
        Losses(each.sum().item(), int(real.sum()), real.numel(), len(lines), taught.item()),
        ends,
    )
