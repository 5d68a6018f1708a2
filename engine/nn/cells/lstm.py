"""LSTM cell, every gate in the open.

What      i, f, o = sigmoid(W x + U h + b); g = tanh(W x + U h + b); c = f * c' + i * g; h = o *
          tanh(c)
Source    Hochreiter & Schmidhuber, Long Short-Term Memory, 1997; forget gate: Gers, Schmidhuber &
          Cummins, 2000
Shapes    B = batch, T = tokens, D = input width, H = units, E = 4 H
Differs   Weights as in torch.nn.LSTM: gate order i, f, g, o and two biases, which only ever act as
          their sum.
          The states come from torch's fused kernel; where it keeps the gates (for its backward
          pass), they are taken from there and checked against the states; else one product over all
          tokens gives them, as every h before
          a token is known then.  Step by step only for edits and for a few tokens more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

import torch
from torch import Tensor, nn

from engine.core.cell_card import Card
from engine.core.tap import Tap, passthrough
from engine.core.trace import FieldSpec, Kind
from engine.nn.cells.base import AXES, UNITS, Cell, Memory, Moment, State
from engine.nn.fused import gates_of_the_kernel, scan

INPUT = FieldSpec(
    "gate.input", Kind.GATE, UNITS, ("Share of the candidate that is written to memory."), "i_t"
)
FORGET = FieldSpec("gate.forget", Kind.GATE, UNITS, "Share of the old memory that is kept.", "f_t")
CANDIDATE = FieldSpec(
    "candidate", Kind.STATE, UNITS, "New content that could be written to memory.", "g_t"
)
OUTPUT = FieldSpec("gate.output", Kind.GATE, UNITS, "Share of the memory that is shown.", "o_t")
MEMORY = FieldSpec("cell", Kind.STATE, UNITS, "Cell state: the memory itself.", "c_t")
HIDDEN = FieldSpec("hidden", Kind.STATE, UNITS, "Hidden state: the input to the next layer.", "h_t")


CARD = Card(
    title="LSTM",
    year=1997,
    source="Hochreiter & Schmidhuber, Long Short-Term Memory, Neural Computation 9(8)",
    blocks=4,
    torch="nn.LSTM",
    forgets=True,
    order=1,
)


@final
class LSTM(Cell):
    fields = (INPUT, FORGET, CANDIDATE, OUTPUT, MEMORY, HIDDEN)
    state = ("hidden", "cell")
    memories = (Memory("cell", "gate.forget", ("gate.input", "candidate")),)
    gates = ("gate.input", "gate.forget", "candidate", "gate.output")
    free = ("cell",)

    fused: nn.LSTM

    def __init__(self, d: int, h: int) -> None:
        super().__init__(d, h)
        self.fused = nn.LSTM(d, h, batch_first=True)

    def matrices(self) -> tuple[Tensor, Tensor, tuple[Tensor, ...]]:
        w_ED, u_EH, b_E, b2_E = self.fused.parameters()
        return w_ED, u_EH, (b_E, b2_E)

    def step(self, w: Mapping[str, Any], a: Any, last: State, now: Moment) -> State:
        h, c = last
        a, n = a + now.product(now.drop(h), w["u"]), self.h
        gates = now.sigmoid(a)
        i = now.see("gate.input", gates[..., :n])
        f = now.see("gate.forget", gates[..., n : 2 * n])
        g = now.see("candidate", now.tanh(a[..., 2 * n : 3 * n]))
        o = now.see("gate.output", gates[..., 3 * n :])
        c = now.see("cell", f * c + i * g)
        return now.see("hidden", o * now.tanh(c)), c

    def forward(
        self,
        x_BTD: Tensor,
        tap: Tap = passthrough,
        last: tuple[Tensor, ...] | None = None,
        kept_BH: Tensor | None = None,
    ) -> Tensor:
        if self.walks(x_BTD, tap, last, kept_BH):
            return super().forward(x_BTD, tap, last, kept_BH)
        if not any(tap.wants(name) for name in self.names):
            h_BTH: Tensor = self.fused(x_BTD, tuple(part[None] for part in last) if last else None)[
                0
            ]
            for name in self.names:
                tap.keep(name, h_BTH, AXES)
            return h_BTH
        h_BH, c_BH = last or (x_BTD.new_zeros(len(x_BTD), self.h),) * 2
        found = gates_of_the_kernel(self.fused, x_BTD, h_BH, c_BH)
        if found is None:
            found = self._again(x_BTD, h_BH, c_BH)
        for name, value in zip(self.names, found, strict=True):
            tap.keep(name, value, AXES)
        return found[-1]

    def _again(self, x_BTD: Tensor, h_BH: Tensor, c_BH: Tensor) -> tuple[Tensor, ...]:
        """All gates from the states before each token."""
        h_BTH: Tensor = self.fused(x_BTD, (h_BH[None], c_BH[None]))[0]
        before_BTH = torch.cat([h_BH[:, None], h_BTH[:, :-1]], 1)
        a_BTE = self.drive(x_BTD) + before_BTH @ self.matrices()[1].T
        i, f, g, o = a_BTE.chunk(4, -1)
        i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
        return i, f, g, o, scan(f, i * g, c_BH), h_BTH


CELL = LSTM
