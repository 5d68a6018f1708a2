"""Huffman tree: common words get short paths from the root, so that a word is a few yes-or-no
questions, not one of V.

What      Join the two rarest nodes again and again; a word's code is the turns from the root to its
          leaf, left 0, right 1.
          With one vector o per inner node, P(w | h) = product over its path of s(h . o) for a left
          turn, 1 - s(h . o) for a right one
Source    Huffman, A Method for the Construction of Minimum-Redundancy Codes, 1952;
          Morin & Bengio, Hierarchical Probabilistic Neural Network Language Model, 2005 (a tree
          instead of a softmax)
Shapes    V = words, V - 1 inner nodes, L = the longest path
Differs   The rarer of two joined nodes goes left; of equally rare ones a word before an inner node,
          the earlier made first.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True, eq=False)
class Tree:
    """node_VL   inner nodes from the root to each word, int64; 0 where the path is over
    turn_VL   1 for a right turn at that node, 0 for a left one, float32
    length_V  turns to each word
    child_N2  what hangs left and right on each of the V - 1 inner nodes: a word below V, else inner
              node number + V
    """

    node_VL: np.ndarray
    turn_VL: np.ndarray
    length_V: np.ndarray
    child_N2: np.ndarray

    @cached_property
    def inside_VL(self) -> np.ndarray:
        """1 where a path has a node, 0 behind its end, float32."""
        found: np.ndarray = (np.arange(self.node_VL.shape[1]) < self.length_V[:, None]).astype(
            np.float32
        )
        return found

    def code(self, word: int) -> str:
        """The turns to a word, such as 0110."""
        return "".join(str(int(turn)) for turn in self.turn_VL[word, : self.length_V[word]])


def tree(count_V: np.ndarray) -> Tree:
    """ValueError for fewer than two words: there is nothing to ask."""
    v = len(count_V)
    if v < 2:
        raise ValueError("a tree of questions needs at least two words")
    heap = [(int(count), i) for i, count in enumerate(count_V)]
    heapq.heapify(heap)
    child_N2 = np.zeros((v - 1, 2), np.int64)
    for n in range(v - 1):
        (one, left), (two, right) = heapq.heappop(heap), heapq.heappop(heap)
        child_N2[n] = left, right
        heapq.heappush(heap, (one + two, v + n))
    depth = np.zeros(2 * v - 1, np.int64)
    # the root was made last: a node is numbered after what hangs on it
    for n in range(v - 2, -1, -1):
        depth[child_N2[n]] = depth[v + n] + 1
    longest = int(depth[:v].max())
    node = np.zeros((2 * v - 1, longest), np.int64)
    turn = np.zeros((2 * v - 1, longest), np.float32)
    for n in range(v - 2, -1, -1):
        d = depth[v + n]
        for side in (0, 1):
            child = child_N2[n, side]
            node[child, :d], turn[child, :d] = node[v + n, :d], turn[v + n, :d]
            node[child, d], turn[child, d] = n, side
    return Tree(node[:v].copy(), turn[:v].copy(), depth[:v].copy(), child_N2)
