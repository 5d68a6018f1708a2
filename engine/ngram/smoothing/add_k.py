"""Add-k (Lidstone): every token is counted k times more than it was seen, the unseen ones too.

What      P(w | h) = (c(hw) + k) / (c(h) + k V): alpha = c(hw) / (c(h) + k V), and k V / (c(h) + k
          V) is left to uniform
Source    Chen & Goodman 1999, sec. 2.1
Shapes    as in base.py
Differs   Shorter contexts take no part, as the formula has none.  V counts all tokens that can come
          next, </s> and <unk> among them, <s> not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.core.setting import setting
from engine.ngram.smoothing.base import Level, Smoothing


@dataclass(frozen=True, slots=True)
class AddK(Smoothing):
    title = "Add-k"
    rank = 30
    idea = (
        "The same with a smaller number, k: gentler, but equally blind to which words are common."
    )
    source = (
        "Chen & Goodman, An Empirical Study of Smoothing Techniques for Language Modeling, 1999,"
        " sec. 2.1"
    )
    formula = r"P(w \mid h) = \frac{c(hw) + k}{c(h) + k\,V}"

    k: float = setting(0.1, "add-k: how often every token is counted besides", min=0.001, max=10.0)

    def kept(self, level: Level) -> np.ndarray:
        per_P = level.is_longest / np.maximum(level.total_P + self.k * level.predicted, 1e-300)
        alpha_G: np.ndarray = level.count_G * level.each(per_P)
        return alpha_G


SMOOTHING = AddK
