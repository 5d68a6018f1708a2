"""Full softmax: a probability for every word of the vocabulary, each time.

What      z = O h, p = softmax(z);  loss = - sum over targets of ln p(target);  d loss / d z =
          (number of targets) p - targets
Source    Mikolov, Sutskever, Chen, Corrado & Dean, Distributed Representations of Words and
          Phrases, 2013, eq. 2
Shapes    see task.py; V = vocabulary, R = hidden vectors at a time
Differs   Words that do not occur (`count` 0: the marks) take no part.
"""

from __future__ import annotations

import torch
from torch import Tensor

from engine.nn.word2vec.task import Move, Task

SCORES = 1 << 24  # scores in memory at a time: 64 MB


class Softmax:
    def __init__(self, count_V: Tensor) -> None:
        self.away_V = torch.where(count_V > 0, 0.0, -torch.inf)
        self.ids_V = torch.arange(len(count_V))

    def __call__(self, task: Task, out_VD: Tensor, measure: bool) -> tuple[Tensor, Move, float]:
        v, d = out_VD.shape
        away_V, ids_V = self.away_V.to(out_VD.device), self.ids_V.to(out_VD.device)
        h_ND = task.h_GBD.reshape(-1, d)
        target_NT = task.target_GT[:, None].expand(task.pair_GBT.shape).reshape(len(h_ND), -1)
        pair_NT = task.pair_GBT.reshape(len(h_ND), -1)
        step_ND, move_VD, much_V, nats = (
            torch.empty_like(h_ND),
            torch.zeros_like(out_VD),
            torch.zeros_like(away_V),
            0.0,
        )
        rows = max(1, SCORES // v)
        for at in range(0, len(h_ND), rows):
            h_RD, target_RT, pair_RT = (part[at : at + rows] for part in (h_ND, target_NT, pair_NT))
            log_RV = (h_RD @ out_VD.T + away_V).log_softmax(-1)
            if measure:
                nats -= float(
                    (log_RV.gather(1, target_RT).masked_fill(pair_RT == 0, 0) * pair_RT).sum()
                )
            error_RV = (
                log_RV.exp_()
                .mul_(-pair_RT.sum(-1, keepdim=True))
                .scatter_add_(1, target_RT, pair_RT)
            )
            step_ND[at : at + rows] = error_RV @ out_VD
            move_VD.addmm_(error_RV.T, h_RD)
            much_V += error_RV.abs().sum(0)
        return step_ND.view_as(task.h_GBD), (ids_V, move_VD, much_V), nats
