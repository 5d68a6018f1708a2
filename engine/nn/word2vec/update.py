"""One step of word2vec on both tables: hidden vectors, what the output layer says of them, rows
moved.

What      skip-gram: h = row of the centre;  CBOW: h = mean of the rows of its window;  each row
          moves by - rate * gradient
Source    Mikolov, Chen, Corrado & Dean, Efficient Estimation of Word Representations in Vector
          Space, 2013, sec. 3
Shapes    V = vocabulary, D = width, G = groups in a step, B = centres in a group, C = candidates
Differs   All rows of a step are read before any is changed.  What one row moves in a step is
          limited.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from engine.nn.word2vec.bags import Bags
from engine.nn.word2vec.batch import Batch
from engine.nn.word2vec.task import Move, Output, Task

Tables = tuple[Tensor, Tensor]


@torch.no_grad()
def update(
    tables: Tables,
    batch: Batch,
    rate: float,
    output: Output,
    cbow: bool = False,
    most: float = 1.0,
    measure: bool = False,
    bags: Bags | None = None,
) -> float:
    """Change both tables in place by one step; the mean loss of a pair in nats before it, or nan
    unless `measure`.

    most   how far the updates of one row may add up in a step, rate times updates; beyond it they
           are scaled
           down, because all were computed from the same stale row and would overshoot together
    bags   the rows that make up the vector of a word; None: one row each
    """
    in_VD, out_VD = tables
    pairs_GB = batch.pair_GBC.sum(-1)
    if cbow:
        mix_GBC = batch.pair_GBC / pairs_GB[..., None].clamp(min=1)
        h_GBD = torch.bmm(mix_GBC, _read(batch.near_GC, in_VD, bags))
        task = Task(
            h_GBD, batch.centre_GB, torch.diag_embed((pairs_GB > 0).to(h_GBD.dtype)), batch.noise_GS
        )
    else:
        task = Task(
            _read(batch.centre_GB, in_VD, bags), batch.near_GC, batch.pair_GBC, batch.noise_GS
        )
    step_GBD, move, nats = output(task, out_VD, measure)
    words = (
        (batch.near_GC, torch.bmm(mix_GBC.mT, step_GBD), mix_GBC.sum(1))
        if cbow
        else (batch.centre_GB, step_GBD, pairs_GB)
    )
    _move(in_VD, bags.spread(words) if bags else words, rate, most)
    _move(out_VD, move, rate, most)
    return nats / max(1.0, float(task.pair_GBT.sum())) if measure else float("nan")


def _read(id: Tensor, table_VD: Tensor, bags: Bags | None) -> Tensor:
    return bags.read(id, table_VD) if bags else F.embedding(id, table_VD)


def _move(table_VD: Tensor, move: Move, rate: float, most: float) -> None:
    """Move rows, each by rate times what it should, or by less when it got more updates than `most`
    allows."""
    id, step, much = move
    much_V = table_VD.new_zeros(len(table_VD)).index_add_(0, id.flatten(), much.flatten())
    rate_V = most / much_V.clamp_(min=most / rate)
    step.mul_(rate_V[id][..., None])
    table_VD.index_add_(0, id.flatten(), step.flatten(0, -2))
