"""Witten-Bell: a context that was followed by many different tokens will be followed by new ones.

What      P(w | h) = (c(hw) + N1+(h.) P(w | h')) / (c(h) + N1+(h.)); N1+(h.) = distinct tokens after
          h
Source    Witten & Bell, The Zero-Frequency Problem, IEEE Transactions on Information Theory 37,
          1991 (method C);
          Chen & Goodman 1999, sec. 2.5
Shapes    as in base.py
Differs   A context that begins with <s> has one step for each longer order, as if there were more
          <s> before it.
          Tokens whose n-gram was cut off are not among N1+.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from engine.ngram.counts import sums
from engine.ngram.smoothing.base import Level, Smoothing


@final
@dataclass(frozen=True, slots=True)
class WittenBell(Smoothing):
    title = "Witten-Bell"
    rank = 90
    idea = "A context that was followed by many different words reserves more for new ones."
    source = (
        "Witten & Bell, The Zero-Frequency Problem, IEEE Transactions on Information Theory 37,"
        " 1991"
    )
    formula = (
        r"P(w \mid h) = \frac{c(hw) + N_{1+}(h\,\cdot)\,P(w \mid h')}{c(h) + N_{1+}(h\,\cdot)}"
    )

    def kept(self, level: Level) -> np.ndarray:
        distinct_P = sums(level.first_P, (level.count_G > 0).astype(np.int64))
        whole_P = np.maximum(level.total_P + distinct_P, 1)
        steps_P = np.where(level.rooted_P, level.orders - level.order + 1, 1)
        new_P = distinct_P / whole_P  # g; n steps keep (1 + g + ... + g^(n-1)) as much as one
        often_P = np.where(new_P < 1, (1 - new_P**steps_P) / np.maximum(1 - new_P, 1e-300), steps_P)
        alpha_G: np.ndarray = level.count_G * level.each(often_P / whole_P)
        return alpha_G


SMOOTHING = WittenBell
