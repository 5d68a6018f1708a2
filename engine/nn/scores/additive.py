"""Additive score: a small network with one hidden layer looks at both vectors.

What      score = v . tanh(W q + U k)
Source    Bahdanau, Cho & Bengio, Neural Machine Translation by Jointly Learning to Align and
          Translate, 2015, app. A.1.2
Shapes    N = queries, M = keys, K = numbers in a query or key, A = units of the hidden layer
Differs   With `bias`, W has one; the paper has none.  A is K.
"""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor, nn

from engine.nn.scores.base import Score


@final
class Additive(Score):
    title, formula = "Additive", "v · tanh(W [q; k])"
    called = "concat"
    rank = 40
    says = (
        "A small network with tanh (random weights here). The score cannot grow beyond all bounds:"
        " far keys look alike."
    )

    def __init__(self, k: int, bias: bool = False) -> None:
        super().__init__(k)
        self.ask, self.offer = nn.Linear(k, k, bias), nn.Linear(k, k, False)
        self.read = nn.Linear(k, 1, False)

    def asked(self, q_NK: Tensor) -> Tensor:
        made: Tensor = self.ask(q_NK)
        return made

    def offered(self, k_MK: Tensor) -> Tensor:
        made: Tensor = self.offer(k_MK)
        return made

    def met(self, asked_NX: Tensor, offered_MX: Tensor) -> Tensor:
        found: Tensor = self.read(
            torch.tanh(asked_NX[..., :, None, :] + offered_MX[..., None, :, :])
        )[..., 0]
        return found

    def multiplications(self) -> int:
        return 2 * self.k * self.k + self.k


SCORE = Additive
