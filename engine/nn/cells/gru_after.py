"""GRU cell as torch has it: the reset gate acts after the recurrent product.

What      r, z = sigmoid(W x + U h' + b); n = tanh(W x + b + r * (U h' + b_n)); h = (1 - z) * h' + z
          * n
Source    the cell of cuDNN and of torch.nn.GRU; the idea is in Chung, Gulcehre, Cho & Bengio,
          Empirical Evaluation of Gated Recurrent Neural Networks on Sequence Modeling, 2014
Shapes    B = batch, T = tokens, D = input width, H = units, E = 3 H (r, z, n)
Differs   Weights as in torch.nn.GRU, whose z is the share that is kept; what is shown is 1 - that,
          the share taken
          from the new, as in the course notes and in `gru`.  The states come from torch's kernel,
          all gates from one more product over all tokens, as every h before a token is known then.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

from torch import Tensor, nn

from engine.core.cell_card import Card
from engine.core.tap import Tap, passthrough
from engine.nn.cells.base import Cell, Memory, Moment, State
from engine.nn.cells.gru import CANDIDATE, HIDDEN, RESET, UPDATE
from engine.nn.packed import product

CARD = Card(
    title="GRU, reset after the product",
    year=2014,
    source=(
        "Chung, Gulcehre, Cho & Bengio, Empirical Evaluation of Gated Recurrent Neural Networks on"
        " Sequence Modeling"
    ),
    blocks=3,
    short="GRU as in torch",
    torch="nn.GRU",
    order=7,
)


@final
class GRUAfter(Cell):
    fields = (RESET, UPDATE, CANDIDATE, HIDDEN)
    state = ("hidden",)
    memories = (Memory("hidden", "gate.update", ("gate.update", "candidate"), complement=True),)
    gates = ("gate.reset", "gate.update", "candidate")

    fused: nn.GRU

    def __init__(self, d: int, h: int) -> None:
        super().__init__(d, h)
        self.fused = nn.GRU(d, h, batch_first=True)

    def matrices(self) -> tuple[Tensor, Tensor, tuple[Tensor, ...]]:
        w_ED, u_EH, b_E, b2_E = self.fused.parameters()
        return w_ED, u_EH, (b_E, b2_E)

    def drive(self, x_BTD: Tensor) -> Tensor:
        w_ED, _, (b_E, _) = self.matrices()
        return product(x_BTD, w_ED, b_E)

    def parts(self) -> Mapping[str, Tensor]:
        _, u_EH, (_, b2_E) = self.matrices()
        return {"u": u_EH.T, "bias": b2_E}

    def step(self, w: Mapping[str, Any], a: Any, last: State, now: Moment) -> State:
        (h,), n = last, self.h
        b = now.product(now.drop(h), w["u"]) + w["bias"]
        gates = now.sigmoid(a[..., : 2 * n] + b[..., : 2 * n])
        r, z = now.see("gate.reset", gates[..., :n]), now.see("gate.update", 1 - gates[..., n:])
        new = now.see("candidate", now.tanh(a[..., 2 * n :] + r * b[..., 2 * n :]))
        return (now.see("hidden", h + z * (new - h)),)

    def forward(
        self,
        x_BTD: Tensor,
        tap: Tap = passthrough,
        last: tuple[Tensor, ...] | None = None,
        kept_BH: Tensor | None = None,
    ) -> Tensor:
        # one text at a time: steps in numpy are as quick as the kernel
        if kept_BH is not None or tap is not passthrough:
            return super().forward(x_BTD, tap, last, kept_BH)
        h_BTH: Tensor = self.fused(x_BTD, last[0][None] if last else None)[0]
        return h_BTH


CELL = GRUAfter
