"""Coupled LSTM cell: what is forgotten makes room for exactly as much that is new.

What      f, o = sigmoid(W x + U h + b); g = tanh(W x + U h + b); i = 1 - f; c = f * c' + i * g; h =
          o * tanh(c)
Source    Greff, Srivastava, Koutnik, Steunebrink & Schmidhuber, LSTM: A Search Space Odyssey, 2017,
          variant CIFG
Shapes    D = input width, H = units, E = 3 H (f, g, o)
Differs   No peepholes.  As i + f = 1 and g is within -1 and 1, the memory stays within -1 and 1
          too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

from engine.core.cell_card import Card
from engine.nn.cells.anatomy import PLAIN, Anatomy
from engine.nn.cells.base import Memory, Moment, OwnWeights, State
from engine.nn.cells.lstm import CANDIDATE, FORGET, HIDDEN, INPUT, MEMORY, OUTPUT

CARD = Card(
    title="Coupled LSTM",
    year=2017,
    source="Greff, Srivastava, Koutnik, Steunebrink & Schmidhuber, LSTM: A Search Space Odyssey",
    blocks=3,
    forgets=True,
    order=4,
)


@final
class Coupled(OwnWeights):
    fields = (INPUT, FORGET, CANDIDATE, OUTPUT, MEMORY, HIDDEN)
    state = ("hidden", "cell")
    memories = (Memory("cell", "gate.forget", ("gate.input", "candidate")),)
    gates = ("gate.forget", "candidate", "gate.output")

    @classmethod
    def anatomy(cls, **options: Any) -> Anatomy:
        return Anatomy(
            "{$cell}",
            PLAIN,
            coupled=True,
            note="Whatever share the forget gate removes is filled with new content.",
        )

    def step(self, w: Mapping[str, Any], a: Any, last: State, now: Moment) -> State:
        h, c = last
        a, n = a + now.product(now.drop(h), w["u"]), self.h
        f = now.see("gate.forget", now.sigmoid(a[..., :n]))
        i = now.see("gate.input", 1 - f)
        g = now.see("candidate", now.tanh(a[..., n : 2 * n]))
        o = now.see("gate.output", now.sigmoid(a[..., 2 * n :]))
        c = now.see("cell", f * c + i * g)
        return now.see("hidden", o * now.tanh(c)), c


CELL = Coupled
