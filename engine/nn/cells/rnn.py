"""Elman cell: the plain recurrent network, whose whole state is written anew at each token.

What      a = W x + U h' + b; h = tanh(a), or h = max(0, a)
Source    Elman, Finding Structure in Time, Cognitive Science 14(2), 1990; with ReLU: Le, Jaitly &
          Hinton, A Simple Way to Initialize Recurrent Networks of Rectified Linear Units, 2015
Shapes    B = batch, T = tokens, D = input width, H = units
Differs   Weights as in torch.nn.RNN, with two biases; the states come from its kernel, a from one
          more product.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import torch
from torch import Tensor, nn

from engine.core.cell_card import Card
from engine.core.setting import setting
from engine.core.tap import Tap, passthrough
from engine.core.trace import FieldSpec, Kind
from engine.language.message import refusal
from engine.nn.cells.anatomy import Anatomy
from engine.nn.cells.base import AXES, UNITS, Cell, Moment, State
from engine.nn.cells.config import RecurrentConfig

PREACTIVATION = FieldSpec(
    "preactivation",
    Kind.STATE,
    UNITS,
    "Weighted sum of input and state, before the activation function.",
    "a_t",
)
HIDDEN = FieldSpec(
    "hidden",
    Kind.STATE,
    UNITS,
    "Hidden state: the whole memory, and the input to the next layer.",
    "h_t",
)


CARD = Card(
    title="Elman RNN",
    year=1990,
    source="Elman, Finding Structure in Time, Cognitive Science 14(2)",
    blocks=1,
    torch="nn.RNN",
    order=9,
)


@dataclass(frozen=True, slots=True)
class Config(RecurrentConfig):
    rate: float = setting(2e-3, "highest learning rate", min=1e-5, max=1e-1)
    activation: str = setting("tanh", "activation of the state: tanh or relu")


@final
class RNN(Cell):
    fields = (PREACTIVATION, HIDDEN)
    state = ("hidden",)
    gates = ("hidden",)
    free = ("preactivation", "hidden")
    config_type = Config

    @classmethod
    def anatomy(cls, activation: str = "tanh", **options: Any) -> Anatomy:
        return Anatomy(squeeze="tanh" if activation == "tanh" else "max(0, a)")

    fused: nn.RNN

    def __init__(self, d: int, h: int, activation: str = "tanh") -> None:
        """ValueError unless `activation` is tanh or relu."""
        super().__init__(d, h)
        if activation not in ("tanh", "relu"):
            raise refusal("activation is tanh or relu, not {activation!r}")
        self.activation = activation
        self.fused = nn.RNN(d, h, nonlinearity=activation, batch_first=True)

    def matrices(self) -> tuple[Tensor, Tensor, tuple[Tensor, ...]]:
        w_HD, u_HH, b_H, b2_H = self.fused.parameters()
        return w_HD, u_HH, (b_H, b2_H)

    def step(self, w: Mapping[str, Any], a: Any, last: State, now: Moment) -> State:
        a = now.see("preactivation", a + now.product(now.drop(last[0]), w["u"]))
        return (now.see("hidden", now.tanh(a) if self.activation == "tanh" else now.relu(a)),)

    def forward(
        self,
        x_BTD: Tensor,
        tap: Tap = passthrough,
        last: tuple[Tensor, ...] | None = None,
        kept_BH: Tensor | None = None,
    ) -> Tensor:
        if self.walks(x_BTD, tap, last, kept_BH):
            return super().forward(x_BTD, tap, last, kept_BH)
        h_BTH: Tensor = self.fused(x_BTD, last[0][None] if last else None)[0]
        tap.keep("hidden", h_BTH, AXES)
        if tap.wants("preactivation"):
            first = last[0] if last else x_BTD.new_zeros(len(x_BTD), self.h)
            before_BTH = torch.cat([first[:, None], h_BTH[:, :-1]], 1)
            tap.keep("preactivation", self.drive(x_BTD) + before_BTH @ self.matrices()[1].T, AXES)
        else:
            tap.keep("preactivation", h_BTH, AXES)
        return h_BTH


CELL = RNN
