"""Gates cut out of torch's weights in another order than torch's."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor, nn

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import drawn, noise


def faulty(a: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    f, i, g, o = a.chunk(4, -1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def repaired(a: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    i, f, g, o = a.chunk(4, -1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def measured(program: Program) -> Mapping[str, float]:
    lstm, x = drawn(nn.LSTM(3, 4)), noise(6, 3)
    h, c = x.new_zeros(4), x.new_zeros(4)
    w, u, b1, b2 = lstm.parameters()
    for row in x:
        h, c = program(w @ row + u @ h + b1 + b2, c)
    wanted, _ = lstm(x)
    return {"farthest from torch after 6 tokens": (h - wanted[-1]).abs().max().item()}


LISTING = Listing(
    "Input and forget gate exchanged",
    "One product gives all four blocks; which is which is a convention. The notes' order is forget,"
    " input, candidate, output; torch keeps input, forget, candidate, output. Nothing fails, since"
    " all blocks have one size: weights that were trained in one order only mean something else in"
    " the other.",
    faulty,
    repaired,
    measured,
)
