"""Bags: a word's input vector is the mean of several rows: those of its character n-grams, and its
own where it has one.

What      h(w) = (1 / |R_w|) sum over rows r in R_w of z_r;  each of them moves by what h should
          move
Source    Bojanowski, Grave, Joulin & Mikolov, Enriching Word Vectors with Subword Information,
          2017, sec. 3.2
Shapes    V = vocabulary, R = rows of the input table, K = rows of all words of a batch together, D
          = width
Differs   The mean, as in the authors' program; the paper writes the sum.  The gradient of a row
          would be 1 / |R_w| of that of
          h; the program moves every row by all of it, and so do we: h then moves as far as a
          word2vec vector does.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from engine.nn.word2vec.task import Move


class Bags:
    def __init__(self, members: list[list[int]], rows: int) -> None:
        """`members[v]` are the rows of word v, at least one each; `rows` is how many the input
        table has."""
        self.rows = rows
        size_V = np.array([len(m) for m in members])
        if not size_V.all():
            raise ValueError("every word needs a row at least")
        self.size = torch.from_numpy(size_V)
        self.first = torch.from_numpy(np.cumsum(size_V) - size_V)
        self.flat = torch.from_numpy(np.concatenate([np.array(m, np.int64) for m in members]))

    def to(self, device: torch.device) -> Bags:
        self.size, self.first, self.flat = (
            part.to(device) for part in (self.size, self.first, self.flat)
        )
        return self

    def _rows(self, id: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Of words (N,): all their rows (K,), where each word's begin (N,), and how many it has
        (N,)."""
        size_N = self.size[id]
        begin_N = size_N.cumsum(0) - size_N
        within_K = torch.arange(int(size_N.sum()), device=id.device) - begin_N.repeat_interleave(
            size_N
        )
        return self.flat[self.first[id].repeat_interleave(size_N) + within_K], begin_N, size_N

    def read(self, id: Tensor, table_RD: Tensor) -> Tensor:
        """The vectors of words: (..., D) for ids (...)."""
        row_K, begin_N, _ = self._rows(id.flatten())
        return F.embedding_bag(row_K, table_RD, begin_N, mode="mean").view(*id.shape, -1)

    def spread(self, move: Move) -> Move:
        """A move of words as the move of their rows."""
        id, step, much = move
        row_K, _, size_N = self._rows(id.flatten())
        return (
            row_K,
            step.flatten(0, -2).repeat_interleave(size_N, 0),
            much.flatten().repeat_interleave(size_N),
        )
