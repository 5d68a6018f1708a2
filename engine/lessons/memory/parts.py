"""Below the ledger: a forget gate that never moves."""

from __future__ import annotations

import math

from engine import frame as fr
from engine.analysis import ledger
from engine.language.message import _
from engine.language.numbers import figures

KEEPS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999)


@fr.part("A constant forget gate", always=True, was=("keep",))
def constant(
    keep: float = fr.pick("Forget gate", KEEPS, 0.9, slide=True, width=420),
) -> fr.Blocks:
    yield _(
        "A forget gate fixed at **{keep:g}** halves the memory in **{lasts:,.1f} tokens**; of 1 it leaves {ten} after"
        " 10, {hundred} after 100, {thousand} after 1,000 tokens. To keep a tenth over 1,000 tokens it has to stay at"
        " {need:.4f}.",
        keep=keep,
        lasts=ledger.constant(keep),
        need=math.exp(math.log(0.1) / 1000),
        **{n: figures(keep**x) for n, x in (("ten", 10), ("hundred", 100), ("thousand", 1000))},
    )
    yield (
        "Gates multiply: after steps of 0.9, 0.8 and 0.7 there is 0.9, then 0.72, then 0.504"
        " left. The sum of what is added has no bound: with f = i = g = 1 the memory is 10"
        " after 10 tokens, though tanh keeps each g between −1 and 1. The gradient along the"
        " memory is the product of the same forget gates: it survives where f is close to 1,"
        " whether i is small or not. A small i only keeps new content out."
    )


PARTS = (constant,)
