"""Laplace: add-k with k = 1.

What      P(w | h) = (c(hw) + 1) / (c(h) + V)
Source    Chen & Goodman 1999, sec. 2.1
Shapes    as in base.py
Differs   as in add_k.py
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

from engine.ngram.smoothing.add_k import AddK


@final
@dataclass(frozen=True, slots=True)
class Laplace(AddK):
    title = "Laplace (add-1)"
    rank = 20
    idea = "Pretend that every word was seen once more after every context."
    formula = r"P(w \mid h) = \frac{c(hw) + 1}{c(h) + V}"

    k: float = field(default=1.0, init=False)


SMOOTHING = Laplace
