"""Gradient accumulation: a batch read in parts, and what their gradients add up to.

What      each part's sum of losses over the tokens of the whole batch (engine/nn/loop.py); so the
          gradients of the parts add up to that of the batch
          over its own tokens instead: the mean of the parts' means, which is another number where
          parts have unequally many
Source    Micikevicius et al., Mixed Precision Training, 2018, sec. 3.2 (a batch in parts)
Shapes    B = windows of the batch
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from engine.analysis.optimising import noise_scale
from engine.analysis.optimising.noise_scale import gradient
from engine.frame.blocks import Controls, Formula, Rows, Train
from engine.frame.control import number, slider
from engine.frame.part import Blocks, once, part, shipped
from engine.language.message import _
from engine.models.neural import NeuralLanguageModel, apart
from engine.nn.loop import shares
from engine.text import collection
from engine.views.base import number as written

BATCH, TEXT = 24, "stories"
LETTERS = 200_000  # of the text


@dataclass(frozen=True, slots=True)
class Parts:
    """sizes: windows of each part; each loss and gradient length is of the part alone.

    away     largest difference between the sum of the parts' shares and the whole batch's gradient
    length   of the whole batch's gradient
    undivided length of the plain sum, which nothing was divided by
    """

    sizes: tuple[int, ...]
    losses: tuple[float, ...]
    lengths: tuple[float, ...]
    loss: float
    length: float
    away: float
    undivided: float


def compared(model: NeuralLanguageModel[Any], ids_BT: torch.Tensor, parts: int) -> Parts:
    """The gradient of a batch at once and in parts, of a net on a processor."""
    model = apart(model)
    whole, loss = gradient(model, ids_BT)
    sizes, losses, lengths = [], [], []
    added, plain = torch.zeros_like(whole), torch.zeros_like(whole)
    for rows in shares(len(ids_BT), parts):
        g, its_loss = gradient(model, ids_BT[rows])
        size = rows.stop - rows.start
        sizes.append(size)
        losses.append(its_loss)
        lengths.append(g.norm().item())
        added += g * (size / len(ids_BT))
        plain += g
    return Parts(
        tuple(sizes),
        tuple(losses),
        tuple(lengths),
        loss,
        whole.norm().item(),
        (added - whole).abs().max().item(),
        plain.norm().item(),
    )


def updates(batches: int, together: int, last: bool) -> int:
    """Updates in an epoch; `last`: an incomplete group takes a step too."""
    return -(-batches // together) if last else batches // together


def mean(losses: Sequence[float]) -> float:
    """Of parts of one size, each divided by how many there are."""
    return sum(loss / len(losses) for loss in losses)


@once
def parted(model: NeuralLanguageModel[Any], parts: int) -> Parts:
    text = collection.find(TEXT).text()[:LETTERS]
    return compared(model, noise_scale.windows(model, text, BATCH, noise_scale.SPAN, 0), parts)


@part("Accumulation")
def accumulation(
    parts: int = slider(_("Parts of a batch of {batch}", batch=BATCH), 1, BATCH, 5, width=300),
    model: NeuralLanguageModel[Any] | None = shipped("lstm_small"),
    *,
    batches: int = number("Batches in an epoch", 1, 10_000, 10, width=0),
    together: int = number("Batches for one step", 1, 512, 4, width=0),
) -> Blocks:
    if model is None:
        raise ValueError("The shipped runs are not there.")
    yield (
        "A batch that does not fit into memory is read in parts, one after the other. Their gradients"
        " are added up, and only then one step is taken. The loss of each part is divided by what the"
        " **whole** batch has, so that the sum is the gradient of the batch."
    )
    found = parted(model, parts)
    yield _(
        "The gradient in {parts} parts differs from that of the batch by at most **{away}** in any of its"
        " numbers: rounding. Its length is {length}. Without dividing, the sum is {undivided} long,"
        " {times} times as much: so many times the learning rate.",
        parts=len(found.sizes),
        away=written(found.away),
        length=written(found.length),
        undivided=written(found.undivided),
        times=written(found.undivided / found.length),
    )
    each = [*zip(found.sizes, found.losses, found.lengths, strict=True)]
    terms = [rf"\tfrac{{{size}}}{{{BATCH}}} \cdot {written(loss)}" for size, loss, _ in each[:6]]
    terms += [r"\dots"] * (len(each) > 6)
    yield Formula(rf"\text{{loss}} = {' + '.join(terms)} = {written(found.loss)}")
    exact = dict.fromkeys(("loss", "length of its gradient"), "%.6f")
    table = [
        {"part": n, "windows": size, "loss": loss, "length of its gradient": length}
        for n, (size, loss, length) in enumerate(each, 1)
    ]
    yield Rows(table, exact, tall=300)
    yield Controls(["batches", "together"])
    over = batches % together
    yield _(
        "{full:,} full groups take {full:,} steps; {over:,} batches are left over. Thrown away, they"
        " teach nothing; taken as a group of their own, which is divided by {by:,}, there"
        " are {all:,} steps.",
        full=updates(batches, together, False),
        over=over,
        by=over or together,
        all=updates(batches, together, True),
    )
    yield Train({"batch": BATCH, "accumulate": parts}, text=TEXT)
