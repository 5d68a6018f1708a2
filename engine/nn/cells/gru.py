"""GRU cell: two gates and no separate memory; the reset gate acts before the recurrent product.

What      r, z = sigmoid(W x + U h' + b); n = tanh(W x + U (r * h') + b); h = (1 - z) * h' + z * n
Source    Cho, van Merrienboer, Gulcehre, Bahdanau, Bougares, Schwenk & Bengio, Learning Phrase
          Representations using RNN Encoder-Decoder for Statistical Machine Translation, 2014, eq. 5
          to 8
Shapes    D = input width, H = units, E = 3 H (r, z, n), the order of torch
Differs   z is the share taken from the new, as in the course notes; in the paper and in torch it is
          the share that is kept.  That is only a sign in the weights of z (`from_torch` turns it).
          Torch also resets after the product, which no change of weights can undo: `gru_after` is
          that cell.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, final

import torch
from torch import Tensor, nn

from engine.core.cell_card import Card
from engine.core.trace import FieldSpec, Kind
from engine.nn.cells.base import UNITS, Memory, Moment, OwnWeights, State

RESET = FieldSpec(
    "gate.reset", Kind.GATE, UNITS, "Share of the old state that the candidate can read.", "r_t"
)
UPDATE = FieldSpec(
    "gate.update", Kind.GATE, UNITS, "Share of the state that is replaced by the candidate.", "z_t"
)
CANDIDATE = FieldSpec(
    "candidate", Kind.STATE, UNITS, "New content that could replace the state.", "n_t"
)
HIDDEN = FieldSpec(
    "hidden", Kind.STATE, UNITS, "Hidden state: the memory, and the input to the next layer.", "h_t"
)


CARD = Card(
    title="GRU",
    year=2014,
    source="Cho et al., Learning Phrase Representations using RNN Encoder-Decoder for Statistical Machine Translation",
    blocks=3,
    order=6,
)


@final
class GRU(OwnWeights):
    fields = (RESET, UPDATE, CANDIDATE, HIDDEN)
    state = ("hidden",)
    memories = (Memory("hidden", "gate.update", ("gate.update", "candidate"), complement=True),)
    gates = ("gate.reset", "gate.update", "candidate")

    @classmethod
    def from_torch(cls, peer: nn.GRU) -> Self:
        """The first layer's weights with the sign of z turned.  Equal to `peer` only where r is 1
        or the state is 0."""
        cell = cls(peer.input_size, peer.hidden_size)
        sign_E1 = torch.ones(3 * cell.h, 1)
        sign_E1[cell.h : 2 * cell.h] = -1
        w_ED, u_EH, b_E, b2_E = peer.all_weights[0]
        with torch.no_grad():
            cell.weight_ih.copy_(w_ED * sign_E1)
            cell.weight_hh.copy_(u_EH * sign_E1)
            cell.bias.copy_((b_E + b2_E) * sign_E1[:, 0])
        return cell

    def parts(self) -> Mapping[str, Tensor]:
        return {
            "gates": self.weight_hh[: 2 * self.h].T,
            "candidate": self.weight_hh[2 * self.h :].T,
        }

    def step(self, w: Mapping[str, Any], a: Any, last: State, now: Moment) -> State:
        (h,), n = last, self.h
        seen = now.drop(h)
        gates = now.sigmoid(a[..., : 2 * n] + now.product(seen, w["gates"]))
        r, z = now.see("gate.reset", gates[..., :n]), now.see("gate.update", gates[..., n:])
        new = now.see(
            "candidate", now.tanh(a[..., 2 * n :] + now.product(r * seen, w["candidate"]))
        )
        return (now.see("hidden", h + z * (new - h)),)


CELL = GRU
