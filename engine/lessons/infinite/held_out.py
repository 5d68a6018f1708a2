"""Held out: how often the ∞-gram and modified Kneser-Ney are right on lines that were not counted, and what a token
costs by a mixture of both.

What      P = λ P_∞ + (1 - λ) P_KN; λ is chosen on every other line and judged on the rest
Source    Liu et al., Infini-gram, 2024, sec. 4 (right by length of context), sec. 5 (mixture)
Shapes    T = tokens of held-out lines
Differs   Infini-gram is mixed there with neural models.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine import frame as fr
from engine.analysis.interval import of_mean
from engine.lessons.counting_texts import Counted
from engine.lessons.infinite.matches import matches

MOST, BLOCK = 20_000, 200  # tokens
LAMBDAS = np.arange(20) / 20
LONG = 8  # lengths from here on are one row
NONE = "Nothing is held out: the text has a single line, so nothing can be measured."


@dataclass(frozen=True)
class Found:
    """`length_T` of the longest context before each token, whether each model's likeliest word is right, what each
    gives the token, and its line."""

    length_T: np.ndarray
    right_T: np.ndarray
    right_smoothed_T: np.ndarray
    p_T: np.ndarray
    smoothed_T: np.ndarray
    line_T: np.ndarray

    def bits(self, at: float) -> np.ndarray:
        """(T,) by the mixture with that λ."""
        return -np.log2(at * self.p_T + (1 - at) * self.smoothed_T)

    @property
    def judged_T(self) -> np.ndarray:
        """Tokens of every other line, which λ is not chosen on."""
        return np.asarray(self.line_T % 2 == 1)

    def chosen(self) -> float:
        means = [float(self.bits(at)[~self.judged_T].mean()) for at in LAMBDAS]
        return float(LAMBDAS[int(np.argmin(means))])

    def saved(self, at: float) -> tuple[float, float, float]:
        """Bits a token on the lines judged by, beside modified Kneser-Ney alone: mean and ends, over lines."""
        gain_T = self.bits(0) - self.bits(at)
        lines = np.unique(self.line_T[self.judged_T])
        each = [float(gain_T[self.line_T == n].sum()) for n in lines]
        size = self.judged_T.sum() / len(lines)
        mean, low, high = of_mean(each)
        return mean / size, low / size, high / size


@fr.once_told
def measured(*, counted: Counted) -> fr.Taking[Found]:
    held_N = counted.study.held_stream
    if held_N is None or len(held_N) < 2:
        raise ValueError(NONE)
    of, ids_T = matches(counted), held_N[:MOST]
    runs, best = of.runs(ids_T), np.full((2, len(ids_T)), -1)
    place_TM, every = of.model.counts.places(ids_T), np.arange(1, len(ids_T))
    best[0, 1:] = of.likeliest(runs, every)
    for a in range(1, len(ids_T), BLOCK):
        b = min(a + BLOCK, len(ids_T))
        best[1, a:b] = of.model.distributions(place_TM[a - 1 : b - 1]).argmax(1)
        yield fr.Progress(a / len(ids_T), "Reading the held-out lines …")
    line_T = (ids_T == of.boundary).cumsum() - (ids_T == of.boundary)
    each = runs.context_T[:-1], *(best == ids_T), of.infinite(runs), of.smoothed(ids_T), line_T
    return Found(*(values[1:] for values in each))
