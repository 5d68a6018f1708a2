"""Back-off with one fixed discount: the course notes' back-off, made to sum to 1.

What      alpha(hw) = (c(hw) - D) / c(h); what is missing from 1 goes to what was not seen, as the
          shorter context has it
Source    Ney, Essen & Kneser, On Structuring Probabilistic Dependences in Stochastic Language
          Modelling, 1994, sec. 3
Shapes    as in base.py
Differs   nothing but the unigrams: see `floor`
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from engine.core.setting import setting
from engine.ngram.counts import Counts
from engine.ngram.smoothing.base import Level, Smoothing, one_discount, unigrams


@final
@dataclass(frozen=True, slots=True)
class DiscountedBackoff(Smoothing):
    title = "Back-off, fixed discount"
    rank = 60
    idea = (
        "Take a little from every count; only unseen words share it, in the proportions of the"
        " shorter context."
    )
    source = (
        "Ney, Essen & Kneser, On Structuring Probabilistic Dependences in Stochastic Language"
        " Modelling, 1994, sec. 3"
    )
    formula = r"P(w \mid h) = \frac{c(hw) - D}{c(h)} \text{ if seen, else } \gamma(h)\,P(w \mid h')"
    interpolates = False

    discount: float = setting(
        0.0, "taken from every count; 0: n1 / (n1 + 2 n2) of each order", min=0.0, max=1.0
    )
    floor: bool = setting(True, "keep a little for tokens that were never counted at all")

    def learn(self, counts: Counts, held_out: np.ndarray | None) -> dict[str, np.ndarray]:
        """`discount` (n,)."""
        return {
            "discount": np.array([self.discount or one_discount(g.count_G) for g in counts.orders])
        }

    def kept(self, level: Level) -> np.ndarray:
        if level.order == 1:
            return unigrams(level, self.floor)
        return level.share(
            np.maximum(level.count_G - level.learned["discount"][level.order - 1], 0)
        )


SMOOTHING = DiscountedBackoff
