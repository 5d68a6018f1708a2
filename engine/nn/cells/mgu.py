"""Minimal gated unit: a GRU with one gate for both jobs.

What      f = sigmoid(W x + U h' + b); n = tanh(W x + U (f * h') + b); h = (1 - f) * h' + f * n
Source    Zhou, Wu, Zhang & Zhou, Minimal Gated Unit for Recurrent Neural Networks, 2016
Shapes    D = input width, H = units, E = 2 H (f, n)
Differs   The paper calls f the forget gate; as it says how much of the new is taken, it stands
          under `gate.update`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, final

from torch import Tensor

from engine.core.cell_card import Card
from engine.nn.cells.anatomy import RESET, Anatomy
from engine.nn.cells.base import Memory, Moment, OwnWeights, State
from engine.nn.cells.gru import CANDIDATE, HIDDEN, UPDATE

CARD = Card(
    title="Minimal gated unit",
    year=2016,
    source="Zhou, Wu, Zhang & Zhou, Minimal Gated Unit for Recurrent Neural Networks",
    blocks=2,
    order=8,
)


@final
class MGU(OwnWeights):
    fields = (replace(UPDATE, symbol="f_t"), CANDIDATE, HIDDEN)
    state = ("hidden",)
    memories = (Memory("hidden", "gate.update", ("gate.update", "candidate"), complement=True),)
    gates = ("gate.update", "candidate")

    @classmethod
    def anatomy(cls, **options: Any) -> Anatomy:
        return Anatomy(resets="gate.update", note=RESET)

    def parts(self) -> Mapping[str, Tensor]:
        return {"gate": self.weight_hh[: self.h].T, "candidate": self.weight_hh[self.h :].T}

    def step(self, w: Mapping[str, Any], a: Any, last: State, now: Moment) -> State:
        (h,), n = last, self.h
        seen = now.drop(h)
        f = now.see("gate.update", now.sigmoid(a[..., :n] + now.product(seen, w["gate"])))
        new = now.see("candidate", now.tanh(a[..., n:] + now.product(f * seen, w["candidate"])))
        return (now.see("hidden", h + f * (new - h)),)


CELL = MGU
