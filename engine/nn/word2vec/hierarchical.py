"""Hierarchical softmax: the word is found by yes-or-no questions down a Huffman tree, a sigmoid for
each turn.

What      loss = - sum over the path of ln s((1 - 2 turn) h . o_node), turn 0 left, 1 right;  d loss
          / d score = s - (1 - turn)
Source    Morin & Bengio, Hierarchical Probabilistic Neural Network Language Model, 2005; with a
          Huffman tree:
          Mikolov, Sutskever, Chen, Corrado & Dean, Distributed Representations of Words and
          Phrases, 2013, sec. 2.1
Shapes    see task.py; L = the longest path; U = different nodes on the paths of a group's targets,
          N = all nodes of all paths
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
        node_VL, turn_VL, inside_VL = (
            np.zeros(shape, np.int64),
            np.zeros(shape, np.float32),
            np.zeros(shape, np.float32),
        )
        node_VL[there], turn_VL[there], inside_VL[there] = (
            self.tree.node_VL,
            self.tree.turn_VL,
            self.tree.inside_VL,
        )
        self.node_VL, self.turn_VL, self.inside_VL = map(
            torch.from_numpy, (node_VL, turn_VL, inside_VL)
        )

    def __call__(self, task: Task, out_VD: Tensor, measure: bool) -> tuple[Tensor, Move, float]:
        node_GU, inside_GTU, left_GTU = (
            part.to(out_VD.device) for part in self._nodes(task.target_GT.cpu())
        )
        node_GUD = F.embedding(node_GU, out_VD)
        score_GBU = torch.bmm(task.h_GBD, node_GUD.mT)
        asked_GBU, left_GBU = (
            torch.bmm(task.pair_GBT, inside_GTU),
            torch.bmm(task.pair_GBT, left_GTU),
        )  # how often, and how often left is right
        nats = (
            float((F.softplus(score_GBU) * asked_GBU - score_GBU * left_GBU).sum())
            if measure
            else 0.0
        )
        score_GBU.sigmoid_().mul_(asked_GBU).neg_().add_(left_GBU)  # minus d loss / d score
        return (
            torch.bmm(score_GBU, node_GUD),
            (node_GU, torch.bmm(score_GBU.mT, task.h_GBD), asked_GBU.sum(1)),
            nats,
        )

    def _nodes(self, target_GT: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The different nodes on the paths of each group, and which of them a target's path has,
        and takes left."""
        g, t = target_GT.shape
        v = len(self.node_VL)
        at_N, there_N = (
            self.inside_VL[target_GT].nonzero(as_tuple=True)[:2],
            self.inside_VL[target_GT] > 0,
        )
        key, which_N = torch.unique(
            at_N[0] * v + self.node_VL[target_GT][there_N], return_inverse=True
        )
        group, node = key // v, key % v
        many_G = torch.bincount(group, minlength=g)
        place = torch.arange(len(key)) - (many_G.cumsum(0) - many_G)[group]
        shape = (g, t, int(many_G.max()))
        node_GU, inside_GTU, left_GTU = (
            torch.zeros(shape[::2], dtype=torch.int64),
            torch.zeros(shape),
            torch.zeros(shape),
        )
        node_GU[group, place] = node
        inside_GTU[(*at_N, place[which_N])] = 1
        left_GTU[(*at_N, place[which_N])] = 1 - self.turn_VL[target_GT][there_N]
        return node_GU, inside_GTU, left_GTU
