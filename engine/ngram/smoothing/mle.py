"""Maximum likelihood: the share of each token among all that followed the context.  What was not
seen is impossible.

What      P(w | h) = c(hw) / c(h)
Source    Jurafsky & Martin, Speech and Language Processing, 3rd ed., sec. 3.1.2
Shapes    as in base.py
Differs   A context that was never seen has no distribution (0 / 0): all its probabilities are 0.
          Where n-grams were cut off, the others share the whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from engine.ngram.counts import sums
from engine.ngram.smoothing.base import Level, Smoothing


@final
@dataclass(frozen=True, slots=True)
class MLE(Smoothing):
    title = "Maximum likelihood"
    rank = 10
    idea = "Use the observed proportions; everything unseen is impossible."
    source = "Jurafsky & Martin, Speech and Language Processing, 3rd ed., sec. 3.1.2"
    formula = r"P(w \mid h) = \frac{c(hw)}{c(h)}"
    uniform = False

    def kept(self, level: Level) -> np.ndarray:
        kept_P = sums(level.first_P, level.count_G)
        alpha_G: np.ndarray = level.count_G * level.each(level.is_longest / np.maximum(kept_P, 1))
        return alpha_G


SMOOTHING = MLE
