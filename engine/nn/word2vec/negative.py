"""Negative sampling: tell the words of the window from words drawn at random, with a sigmoid for
each.

What      loss = - sum ln s(h . o) over pairs - (k pairs / S) sum ln s(- h . o) over S noise words,
          s = sigmoid;
          d loss / d score = s - 1 for a pair, (k pairs / S) s for noise
Source    Mikolov, Sutskever, Chen, Corrado & Dean, Distributed Representations of Words and
          Phrases, 2013, sec. 2.2;
          a shared set of noise words: Ji, Satish, Li & Dubey, Parallelizing Word2Vec in Shared and
          Distributed Memory, 2016
Shapes    see task.py; X = T + S words that a group is compared with
Differs   A group shares its S noise words, each weighted so that a pair gets k noise words on
          average.
          Noise that happens to be a target still counts as noise.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from engine.nn.word2vec.task import Move, Task


class Negative:
    def __init__(self, negatives: int) -> None:
        self.negatives = negatives  # k

    def __call__(self, task: Task, out_VD: Tensor, measure: bool) -> tuple[Tensor, Move, float]:
        h_GBD, pair_GBT = task.h_GBD, task.pair_GBT
        t, s = pair_GBT.shape[-1], task.noise_GS.shape[-1]
        word_GX = torch.cat([task.target_GT, task.noise_GS], 1)
        weight_GB1 = pair_GBT.sum(-1, keepdim=True) * (self.negatives / s)
        weight_GBX = torch.cat([pair_GBT, weight_GB1.expand(-1, -1, s)], -1)
        word_GXD = F.embedding(word_GX, out_VD)
        score_GBX = torch.bmm(h_GBD, word_GXD.mT)
        nats = 0.0
        if measure:
            nats = float(
                (F.softplus(score_GBX[..., :t].neg()) * pair_GBT).sum()
                + (F.softplus(score_GBX[..., t:]) * weight_GB1).sum()
            )
        # From here the scores become steps: minus d loss / d score.
        score_GBX.sigmoid_()
        score_GBX[..., :t] -= 1
        score_GBX *= weight_GBX.neg()
        return (
            torch.bmm(score_GBX, word_GXD),
            (word_GX, torch.bmm(score_GBX.mT, h_GBD), weight_GBX.sum(1)),
            nats,
        )
