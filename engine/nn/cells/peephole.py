"""Peephole LSTM cell: the gates look at the memory too.

What      i = sigmoid(W x + U h + p_i * c' + b); f = sigmoid(.. + p_f * c' + ..); g = tanh(W x + U h
          + b)
          c = f * c' + i * g; o = sigmoid(W x + U h + p_o * c + b); h = o * tanh(c)
Source    Gers & Schmidhuber, Recurrent Nets that Time and Count, 2000; as written by Graves,
          Generating Sequences
          with Recurrent Neural Networks, 2013, eq. 7 to 11
Shapes    D = input width, H = units, E = 4 H (i, f, g, o); p_i, p_f, p_o are (H,): a unit looks at
          its own memory only
Differs   The first paper has no tanh at the output; later ones, and this one, do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

import torch
from torch import Tensor, nn

from engine.core.cell_card import Card
from engine.nn.cells.anatomy import PLAIN, Anatomy
from engine.nn.cells.base import Memory, Moment, OwnWeights, State
from engine.nn.cells.lstm import CANDIDATE, FORGET, HIDDEN, INPUT, MEMORY, OUTPUT

CARD = Card(
    title="Peephole LSTM",
    year=2000,
    source="Gers & Schmidhuber, Recurrent Nets that Time and Count",
    blocks=4,
    per_unit=3,
    forgets=True,
    order=3,
)


@final
class Peephole(OwnWeights):
    fields = (INPUT, FORGET, CANDIDATE, OUTPUT, MEMORY, HIDDEN)
    state = ("hidden", "cell")
    memories = (Memory("cell", "gate.forget", ("gate.input", "candidate")),)
    gates = ("gate.input", "gate.forget", "candidate", "gate.output")
    free = ("cell",)

    @classmethod
    def anatomy(cls, **options: Any) -> Anatomy:
        return Anatomy(
            "{$cell}",
            PLAIN,
            looks=True,
            note=(
                "The valves also read the unit's own memory (peepholes); the last one"
                " reads the new memory."
            ),
        )

    def __init__(self, d: int, h: int) -> None:
        super().__init__(d, h)
        bound = h**-0.5
        self.look = nn.Parameter(torch.empty(3, h).uniform_(-bound, bound))  # p_i, p_f, p_o

    def parts(self) -> Mapping[str, Tensor]:
        return {**super().parts(), "look": self.look}

    def step(self, w: Mapping[str, Any], a: Any, last: State, now: Moment) -> State:
        h, c = last
        a, n, (p_i, p_f, p_o) = a + now.product(now.drop(h), w["u"]), self.h, w["look"]
        i = now.see("gate.input", now.sigmoid(a[..., :n] + p_i * c))
        f = now.see("gate.forget", now.sigmoid(a[..., n : 2 * n] + p_f * c))
        g = now.see("candidate", now.tanh(a[..., 2 * n : 3 * n]))
        c = now.see("cell", f * c + i * g)
        o = now.see("gate.output", now.sigmoid(a[..., 3 * n :] + p_o * c))
        return now.see("hidden", o * now.tanh(c)), c


CELL = Peephole
