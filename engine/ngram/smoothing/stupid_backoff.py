"""Stupid back-off: the plain share where it was seen, else 0.4 times the score of the shorter
context.

What      S(w | h) = c(hw) / c(h) if c(hw) > 0, else a S(w | h')
Source    Brants, Popat, Xu, Och & Dean, Large Language Models in Machine Translation, EMNLP 2007,
          sec. 4
Shapes    as in base.py
Differs   These are scores: nothing was taken from what was seen, so a row sums to more than 1.  A
          context that begins with <s> has one step for each longer order, as if there were more <s>
          before it.  A context that was never seen is a step too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from engine.core.setting import setting
from engine.ngram.smoothing.base import Level, Smoothing


@final
@dataclass(frozen=True, slots=True)
class StupidBackoff(Smoothing):
    title = "Stupid back-off"
    rank = 50
    idea = (
        "For unseen words, take the shorter context's score times a fixed factor; the row sums to"
        " more than 1."
    )
    source = (
        "Brants, Popat, Xu, Och & Dean, Large Language Models in Machine Translation, EMNLP 2007,"
        " sec. 4"
    )
    formula = r"S(w \mid h) = \frac{c(hw)}{c(h)} \text{ if seen, else } a\,S(w \mid h')"
    interpolates = False
    uniform = False
    is_probability = False

    alpha: float = setting(0.4, "stupid back-off: factor of each step down", min=0.0, max=1.0)

    @property
    def skipped(self) -> float:
        return self.alpha

    def kept(self, level: Level) -> np.ndarray:
        return level.share(level.count_G)

    def left(self, level: Level, alpha_G: np.ndarray, lower_G: np.ndarray | None) -> np.ndarray:
        steps_P = np.where(level.rooted_P, level.orders - level.order + 1, 1)
        return np.asarray(self.alpha**steps_P)


SMOOTHING = StupidBackoff
