"""Dual-memory cell, as described in the course notes ("STLM"): a fast and a slow memory with gates
of their own.

What      g = tanh(W x + U h' + b), the same for both; i_s, f_s, i_l, f_l, o = sigmoid(W x + U h' +
          b) c_s = f_s * c_s' + i_s * g; c_l = f_l * c_l' + i_l * g
          sum: h = o * tanh(c_s + c_l); mix: h = o * tanh(m c_s + (1 - m) c_l); concat: h = o *
          tanh([c_s, c_l])
Source    the course notes only.  The published relative, ST-LSTM (Wang et al., PredRNN, 2017), is
          another cell:
          its second memory runs through the layers, and it is convolutional.
Shapes    D = input width, H = units, E = 6 H (i_s, f_s, i_l, f_l, g, o); with concat h and o have 2
          H numbers, E = 7 H
Differs   The notes list two output gates and use one; here one.  Both memories get the same g:
          nothing but their gates tells them apart, so the bias of f_s starts at -1 (quick to
          forget) and that of f_l at 3 (slow).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import torch

from engine.core.cell_card import Card
from engine.core.setting import setting
from engine.core.trace import FieldSpec
from engine.language.message import refusal
from engine.nn.cells.anatomy import Anatomy
from engine.nn.cells.base import Memory, Moment, OwnWeights, State
from engine.nn.cells.config import RecurrentConfig
from engine.nn.cells.lstm import CANDIDATE, FORGET, HIDDEN, INPUT, MEMORY, OUTPUT

SHORT = ("gate.input.short", "gate.forget.short", "cell.short")
LONG = ("gate.input.long", "gate.forget.long", "cell.long")


def _specs(
    names: tuple[str, str, str], which: str, letter: str
) -> tuple[FieldSpec, FieldSpec, FieldSpec]:
    says = (
        f"Share of the candidate that enters the {which} memory.",
        f"Share of the {which} memory that is kept.",
        f"The {which} memory.",
    )
    return tuple(  # type: ignore[return-value]
        replace(spec, name=name, says=words, symbol=f"{spec.symbol[0]}{letter}_t")
        for spec, name, words in zip((INPUT, FORGET, MEMORY), names, says, strict=True)
    )


I_S, F_S, C_S = _specs(SHORT, "short-term", "ˢ")
I_L, F_L, C_L = _specs(LONG, "long-term", "ˡ")


CARD = Card(
    title="Dual memory",
    year=2024,
    source='course notes ("STLM"); no publication',
    blocks=6,
    order=10,
)


@dataclass(frozen=True, slots=True)
class Config(RecurrentConfig):
    combine: str = setting("sum", "how the two memories are combined: sum, mix, concat")
    mix: float = setting(0.5, "weight of the short-term memory with mix", min=0.0, max=1.0)


@final
class DualMemory(OwnWeights):
    fields = (I_S, F_S, I_L, F_L, CANDIDATE, OUTPUT, C_S, C_L, HIDDEN)
    state = ("hidden", "cell.short", "cell.long")
    memories = (
        Memory(SHORT[2], SHORT[1], (SHORT[0], "candidate")),
        Memory(LONG[2], LONG[1], (LONG[0], "candidate")),
    )
    gates = (*SHORT[:2], *LONG[:2], "candidate", "gate.output")
    free = ("cell.short", "cell.long")
    config_type = Config
    ways: ClassVar[tuple[str, ...]] = ("sum", "mix", "concat")

    @classmethod
    def anatomy(cls, combine: str = "sum", mix: float = 0.5, **options: Any) -> Anatomy:
        short, long = "{$cell.short}", "{$cell.long}"
        if combine == "concat":
            note = (
                "The drawing shows the half of the state that belongs to the short-term memory;"
                " the other half treats the long-term memory in the same way."
            )
            return Anatomy(short, (("cell.short", 1.0),), note=note)
        if combine == "mix":
            return Anatomy(
                shown=f"{mix:g} {short} + {1 - mix:g} {long}",
                terms=(("cell.short", mix), ("cell.long", 1 - mix)),
            )
        return Anatomy(shown=f"{short} + {long}", terms=(("cell.short", 1.0), ("cell.long", 1.0)))

    def __init__(self, d: int, h: int, combine: str = "sum", mix: float = 0.5) -> None:
        """ValueError unless `combine` is sum, mix or concat.  `mix`: the share of the short-term
        memory."""
        if combine not in self.ways:
            raise refusal("combine is {self.ways}, not {combine!r}")
        wide = 2 if combine == "concat" else 1
        super().__init__(d, h, into=wide * h, rows=(5 + wide) * h)
        self.combine, self.mix, self.wide = combine, mix, wide
        self.begin()

    @torch.no_grad()
    def begin(self) -> None:
        self.bias[self.h : 2 * self.h] = -1
        self.bias[3 * self.h : 4 * self.h] = 3

    @property
    def width(self) -> int:
        return self.wide * self.h

    def sizes(self) -> tuple[int, ...]:
        return (self.width, self.h, self.h)

    def step(self, w: Mapping[str, Any], a: Any, last: State, now: Moment) -> State:
        h, c_s, c_l = last
        a, n = a + now.product(now.drop(h), w["u"]), self.h
        gates = now.sigmoid(a)  # of the candidate too: one call on all costs less than two
        i_s, f_s = now.see(SHORT[0], gates[..., :n]), now.see(SHORT[1], gates[..., n : 2 * n])
        i_l, f_l = (
            now.see(LONG[0], gates[..., 2 * n : 3 * n]),
            now.see(LONG[1], gates[..., 3 * n : 4 * n]),
        )
        g = now.see("candidate", now.tanh(a[..., 4 * n : 5 * n]))
        o = now.see("gate.output", gates[..., 5 * n :])
        c_s, c_l = (
            now.see("cell.short", f_s * c_s + i_s * g),
            now.see("cell.long", f_l * c_l + i_l * g),
        )
        if self.combine == "concat":
            both = now.join([c_s, c_l])
        elif self.combine == "mix":
            both = self.mix * c_s + (1 - self.mix) * c_l
        else:
            both = c_s + c_l
        return now.see("hidden", o * now.tanh(both)), c_s, c_l


CELL = DualMemory
