"""LSTM cell of 1997: no forget gate, so what is in the memory stays there for good (the constant
error carousel).

What      i, o = sigmoid(W x + U h + b); g = tanh(W x + U h + b); c = c' + i * g; h = o * tanh(c)
Source    Hochreiter & Schmidhuber, Long Short-Term Memory, Neural Computation 9(8), 1997, sec. 4
Shapes    D = input width, H = units, E = 3 H (i, g, o)
Differs   The paper squashes with functions of its own range (g between -2 and 2) and shares gates
          within blocks of cells; here tanh, and a gate for each unit, so that it stands beside the
          later forms with one thing changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

from engine.core.cell_card import Card
from engine.nn.cells.anatomy import PLAIN, Anatomy
from engine.nn.cells.base import Memory, Moment, OwnWeights, State
from engine.nn.cells.lstm import CANDIDATE, HIDDEN, INPUT, MEMORY, OUTPUT

CARD = Card(
    title="LSTM of 1997, without forget gate",
    year=1997,
    source="Hochreiter & Schmidhuber, Long Short-Term Memory, Neural Computation 9(8), sec. 4",
    blocks=3,
    short="LSTM of 1997",
    order=2,
)


@final
class LSTM1997(OwnWeights):
    fields = (INPUT, CANDIDATE, OUTPUT, MEMORY, HIDDEN)
    state = ("hidden", "cell")
    memories = (Memory("cell", "", ("gate.input", "candidate")),)
    gates = ("gate.input", "candidate", "gate.output")
    free = ("cell",)

    @classmethod
    def anatomy(cls, **options: Any) -> Anatomy:
        return Anatomy("{$cell}", PLAIN, note="No valve on the belt: the memory keeps everything.")

    def step(self, w: Mapping[str, Any], a: Any, last: State, now: Moment) -> State:
        h, c = last
        a, n = a + now.product(now.drop(h), w["u"]), self.h
        i = now.see("gate.input", now.sigmoid(a[..., :n]))
        g = now.see("candidate", now.tanh(a[..., n : 2 * n]))
        o = now.see("gate.output", now.sigmoid(a[..., 2 * n :]))
        c = now.see("cell", c + i * g)
        return now.see("hidden", o * now.tanh(c)), c


CELL = LSTM1997
