"""Hierarchical softmax: the word is found by yes-or-no questions down a Huffman tree, a sigmoid for each turn.

What      loss = - sum over the path of ln s((1 - 2 turn) h . o_node), turn 0 left, 1 right;  d loss / d score = s - (1 - turn)
Source    Morin & Bengio, Hierarchical Probabilistic Neural Network Language Model, 2005; with a Huffman tree:
          Mikolov, Sutskever, Chen, Corrado & Dean, Distributed Representations of Words and Phrases, 2013, sec. 2.1
Shapes    see task.py; L = the longest path; N = T L nodes on the paths of a group's targets
Differs   The output table holds one row an inner node, in the order in which they were joined.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from engine.nn.word2vec.huffman import tree
from engine.nn.word2vec.task import Move, Task


class Hierarchical:
    def __init__(self, count_V: np.ndarray) -> None:
        """Words that do not occur have no path."""
        there = np.flatnonzero(count_V)
        self.tree = tree(count_V[there])
        shape = (len(count_V), self.tree.node_VL.shape[1])
        node_VL, turn_VL, inside_VL = np.zeros(shape, np.int64), np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        node_VL[there], turn_VL[there], inside_VL[there] = self.tree.node_VL, self.tree.turn_VL, self.tree.inside_VL
        self.node_VL, self.turn_VL, self.inside_VL = map(torch.from_numpy, (node_VL, turn_VL, inside_VL))

    def __call__(self, task: Task, out_VD: Tensor, measure: bool) -> tuple[Tensor, Move, float]:
        target_GT = task.target_GT.to(self.node_VL.device)
        g, b, t = task.pair_GBT.shape
        longest = max(1, int(self.inside_VL[target_GT].sum(-1).max()))
        node_GN, turn_GN, inside_GN = (
            part[target_GT][..., :longest].flatten(1).to(out_VD.device) for part in (self.node_VL, self.turn_VL, self.inside_VL)
        )
        node_GND = F.embedding(node_GN, out_VD)
        score_GBN = torch.bmm(task.h_GBD, node_GND.mT)
        asked_GBN = task.pair_GBT[..., None].expand(g, b, t, longest).reshape(g, b, -1) * inside_GN[:, None]
        nats = float((F.softplus(score_GBN * (2 * turn_GN - 1)[:, None]) * asked_GBN).sum()) if measure else 0.0
        score_GBN.sigmoid_().neg_().add_((1 - turn_GN)[:, None]).mul_(asked_GBN)  # minus d loss / d score
        return torch.bmm(score_GBN, node_GND), (node_GN, torch.bmm(score_GBN.mT, task.h_GBD), asked_GBN.sum(1)), nats
