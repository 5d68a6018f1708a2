"""Absolute discounting: the same amount is taken from every count and shared out by the shorter
context.

What      P(w | h) = max(c(hw) - d, 0) / c(h) + d N1+(h.) / c(h) P(w | h'); N1+(h.) = distinct
          tokens after h;
          d = n_1 / (n_1 + 2 n_2) of the order, unless given
Source    Ney, Essen & Kneser, On Structuring Probabilistic Dependences in Stochastic Language
          Modelling, 1994
Shapes    as in base.py
Differs   nothing but the unigrams: see `floor`
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.core.setting import setting
from engine.ngram.counts import Counts
from engine.ngram.smoothing.base import Level, Smoothing, one_discount, unigrams


@dataclass(frozen=True, slots=True)
class Absolute(Smoothing):
    title: ClassVar[str] = "Absolute discounting"
    rank: ClassVar[int] = 80
    idea: ClassVar[str] = (
        "Take the same small amount from every count; all words share it, in the proportions of the"
        " shorter context."
    )
    source: ClassVar[str] = (
        "Ney, Essen & Kneser, On Structuring Probabilistic Dependences in Stochastic Language"
        " Modelling, 1994"
    )
    formula: ClassVar[str] = (
        r"P(w \mid h) = \frac{\max(c(hw) - d, 0)}{c(h)} + \gamma(h)\,P(w \mid h')"
    )

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


SMOOTHING = Absolute
