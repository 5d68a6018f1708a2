"""Layer-norm LSTM cell: what enters the gates has mean 0 and variance 1 over the units before gain
and bias.

What      a = N(W x) + N(U h) + b; i, f, o = sigmoid(a); g = tanh(a); c = f * c' + i * g; h = o *
          tanh(N(c)) N(x) = gain * (x - mean) / sqrt(variance + 1e-5) + bias, each N with a gain and
          a bias of its own
Source    Ba, Kiros & Hinton, Layer Normalization, 2016, supplement, eq. 20 to 22
Shapes    D = input width, H = units, E = 4 H (i, f, g, o)
Differs   The memory that is carried on is not normalised: a cell that normalises it overwrites what
          it should keep (with f = 1 and i = 0 a stored 2, 2, 2, 5 would become -.58, -.58, -.58,
          1.73).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

import torch
from torch import Tensor, nn

from engine.core.cell_card import Card
from engine.nn.cells.anatomy import Anatomy
from engine.nn.cells.base import Memory, Moment, OwnWeights, State
from engine.nn.cells.lstm import CANDIDATE, FORGET, HIDDEN, INPUT, MEMORY, OUTPUT
from engine.nn.packed import product

CARD = Card(
    title="Layer-norm LSTM",
    year=2016,
    source="Ba, Kiros & Hinton, Layer Normalization",
    blocks=4,
    per_unit=18,
    forgets=True,
    order=5,
)


@final
class LayerNormLSTM(OwnWeights):
    fields = (INPUT, FORGET, CANDIDATE, OUTPUT, MEMORY, HIDDEN)
    state = ("hidden", "cell")
    memories = (Memory("cell", "gate.forget", ("gate.input", "candidate")),)
    gates = ("gate.input", "gate.forget", "candidate", "gate.output")
    free = ("cell",)

    @classmethod
    def anatomy(cls, **options: Any) -> Anatomy:
        return Anatomy(
            shown="N({$cell})",
            note=(
                "N: normalised to mean 0 and variance 1 over the units of the layer, then"
                " a gain and a bias."
            ),
        )

    def __init__(self, d: int, h: int) -> None:
        super().__init__(d, h)
        self.gain_x, self.shift_x = (
            nn.Parameter(torch.ones(4 * h)),
            nn.Parameter(torch.zeros(4 * h)),
        )
        self.gain_h, self.shift_h = (
            nn.Parameter(torch.ones(4 * h)),
            nn.Parameter(torch.zeros(4 * h)),
        )
        self.gain_c, self.shift_c = nn.Parameter(torch.ones(h)), nn.Parameter(torch.zeros(h))

    def drive(self, x_BTD: Tensor) -> Tensor:
        wx_BTE = product(x_BTD, self.weight_ih)
        return (
            nn.functional.layer_norm(wx_BTE, wx_BTE.shape[-1:], self.gain_x, self.shift_x)
            + self.bias
        )

    def parts(self) -> Mapping[str, Tensor]:
        return {
            **super().parts(),
            **{n: getattr(self, n) for n in ("gain_h", "shift_h", "gain_c", "shift_c")},
        }

    def step(self, w: Mapping[str, Any], a: Any, last: State, now: Moment) -> State:
        h, c = last
        a, n = a + now.norm(now.product(now.drop(h), w["u"]), w["gain_h"], w["shift_h"]), self.h
        i = now.see("gate.input", now.sigmoid(a[..., :n]))
        f = now.see("gate.forget", now.sigmoid(a[..., n : 2 * n]))
        g = now.see("candidate", now.tanh(a[..., 2 * n : 3 * n]))
        o = now.see("gate.output", now.sigmoid(a[..., 3 * n :]))
        c = now.see("cell", f * c + i * g)
        return now.see("hidden", o * now.tanh(now.norm(c, w["gain_c"], w["shift_c"]))), c


CELL = LayerNormLSTM
