"""Training one cell for a contest, and testing it on streams that it has never seen.

What      embedding -> one layer of the cell -> logits; loss = mean cross-entropy at the positions
          that are asked;
          Adam, rate falling along a cosine, clipping by norm 1; each step draws its distance and
          its streams from (seed, step) alone
Source    the same loop for every cell; Kingma & Ba, Adam, 2015
Shapes    N = streams, T = tokens, D = embedding, H = units, Q = questions in a batch, V =
          vocabulary
Differs   engine/nn/loop.py learns every next token of a text; here only the answers count.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from engine.analysis.contest.entry import DISTURBED, Entry, Result
from engine.analysis.contest.parameters import parameters, units_for
from engine.core.registry import cells, tasks
from engine.language.message import refusal
from engine.nn.stack import Stack
from engine.text.tasks.base import SILENT, Task

TESTED = 400  # streams for each distance
REPORTS = 30  # reports in one training
FRESH = 1_000_000  # seeds of the tests begin here: no step reaches it


@dataclass(frozen=True, slots=True)
class Report:
    """One report from training; the last one carries the result."""

    step: int
    total: int
    loss_nats: float
    result: Result | None = None


class Net(Stack):
    def __init__(self, entry: Entry, v: int) -> None:
        super().__init__(
            cells.get(entry.cell), entry.width, size(entry), 1, forget_bias=entry.forget_bias
        )
        self.embed = nn.Embedding(v, entry.width)
        self.head = nn.Linear(self.width, v)

    def forward(self, ids_NT: Tensor, asked_NT: Tensor) -> Tensor:
        """Logits (Q, V) where something is asked."""
        logit_QV: Tensor = self.head(self.read(self.embed(ids_NT))[asked_NT])
        return logit_QV


def size(entry: Entry) -> int:
    """Units of the cell: those of the entry, or as many as give the parameters of an LSTM of those
    units."""
    if entry.match == "units":
        return entry.units
    return units_for(entry.cell, entry.width, parameters("lstm", entry.width, entry.units))


def asked_distances(task: Task, most: int) -> list[int]:
    """About fourteen distances up to twice the longest in training, which is one of them."""
    near, far = task.distances(most), task.distances(2 * most)
    beyond = far[len(near) :]
    return (
        near[:: -max(1, -(-len(near) // 8))][::-1] + beyond[:: -max(1, -(-len(beyond) // 6))][::-1]
    )


def train(entry: Entry) -> Iterator[Report]:
    """ValueError when the loss is no longer a number; KeyError for a cell or a task that does not
    exist."""
    task: Task = tasks.get(entry.task)()
    distances = task.between(entry.shortest, entry.distance)
    torch.manual_seed(entry.seed)
    net = Net(entry, len(task.labels))
    adam = torch.optim.Adam(net.parameters(), entry.rate, fused=True)
    started, kept = time.process_time(), 0.0
    for step in range(1, entry.steps + 1):
        for group in adam.param_groups:
            group["lr"] = entry.rate * (
                0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * step / entry.steps))
            )
        distance = distances[
            int(np.random.default_rng((entry.seed, step)).integers(len(distances)))
        ]
        ids_NT, targets_NT = (
            torch.from_numpy(part)
            for part in task.make(entry.batch, distance, (entry.seed, step), entry.noise)
        )
        asked_NT = targets_NT != SILENT
        loss = F.cross_entropy(net(ids_NT, asked_NT), targets_NT[asked_NT])
        adam.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        adam.step()
        kept = loss.item() if step == 1 else 0.95 * kept + 0.05 * loss.item()
        if not math.isfinite(kept):
            raise refusal("the loss is no longer a number at step {step}")
        if step % max(1, entry.steps // REPORTS) == 0 and step < entry.steps:
            yield Report(step, entry.steps, kept)
    seconds = time.process_time() - started
    clean, disturbed = (test(net, task, entry, noise) for noise in (0.0, DISTURBED))
    made = sum(p.numel() for p in net.layers[0].parameters())
    units = net.layers[0].h
    assert isinstance(units, int)
    result = Result(entry, units, made, round(seconds, 2), round(kept, 5), clean, disturbed)
    yield Report(entry.steps, entry.steps, kept, result)


@torch.inference_mode()
def test(net: Net, task: Task, entry: Entry, noise: float) -> dict[int, float]:
    """Share of right answers at each distance, on fresh streams."""
    found = {}
    for distance in asked_distances(task, entry.distance):
        ids_NT, targets_NT = (
            torch.from_numpy(part)
            for part in task.make(TESTED, distance, (entry.seed, FRESH), noise)
        )
        asked_NT = targets_NT != SILENT
        right_Q = net(ids_NT, asked_NT).argmax(-1) == targets_NT[asked_NT]
        found[distance] = round(right_Q.float().mean().item(), 4)
    return found
