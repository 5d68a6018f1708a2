"""Katz back-off with Good-Turing: rare counts are corrected downwards; what they lose goes to what
was never seen.

What      alpha(hw) = d_c c(hw) / c(h), d_c = (c* / c - x) / (1 - x) for c <= k, else 1, with c* =
          (c + 1) n_{c+1} / n_c and x = (k + 1) n_{k+1} / n_1; n_c = how many n-grams of the order
          were counted c times. Backs off.
Source    Katz, Estimation of Probabilities from Sparse Data, IEEE Transactions on Acoustics, Speech
          and Signal Processing 35, 1987; Good, The Population Frequencies of Species, Biometrika
          40, 1953
Shapes    as in base.py
Differs   Where the counts of counts are too ragged for some k (a discount outside 0 to 1), the next
          smaller k is taken;
          where none is left, 1/2 is taken from every count.  A context after which every count is
          above k would leave nothing: it counts as seen once more, as in SRILM.  Unigrams: see
          `floor`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from engine.core.setting import setting
from engine.ngram.counts import Counts, sums
from engine.ngram.smoothing.base import NONE, Level, Smoothing, count_of_counts, unigrams

MOST = 10


@final
@dataclass(frozen=True, slots=True)
class Katz(Smoothing):
    title = "Katz (Good-Turing)"
    rank = 70
    idea = (
        "Correct small counts from the number of n-grams seen once, twice, three times; back off"
        " with the mass this frees."
    )
    source = (
        "Katz, Estimation of Probabilities from Sparse Data, 1987; Good, The Population Frequencies"
        " of Species, 1953"
    )
    formula = (
        r"P(w \mid h) = d_c \frac{c(hw)}{c(h)} \text{ if seen, else } \gamma(h)\,P(w \mid h'),"
        r" \quad c^* = (c+1)\frac{n_{c+1}}{n_c}"
    )
    interpolates = False

    katz_k: int = setting(5, "Katz: counts up to this one are corrected", min=1, max=MOST)
    floor: bool = setting(True, "keep a little for tokens that were never counted at all")

    def learn(self, counts: Counts, held_out: np.ndarray | None) -> dict[str, np.ndarray]:
        """`ratio` (n, MOST + 2): d_c of counts 0 to MOST and more, per order; -1 in column 0: 1/2
        is taken instead."""
        return {
            "ratio": np.stack(
                [
                    ratios(count_of_counts(g.count_G, self.katz_k + 1), self.katz_k)
                    for g in counts.orders
                ]
            )
        }

    def kept(self, level: Level) -> np.ndarray:
        if level.order == 1:
            return unigrams(level, self.floor)
        ratio_c = level.learned["ratio"][level.order - 1]
        if ratio_c[0] < 0:
            return level.share(level.count_G - 0.5 * (level.count_G > 0))
        alpha_G = level.share(level.count_G * ratio_c[np.minimum(level.count_G, MOST + 1)])
        full_P = sums(level.first_P, alpha_G) > 1 - NONE
        return np.asarray(
            alpha_G * level.each(np.where(full_P, level.total_P / (level.total_P + 1), 1))
        )


def ratios(n_c: np.ndarray, k: int) -> np.ndarray:
    """(MOST + 2,) d_c, from how many n-grams were counted 0 to k + 1 times; the largest k' <= k
    that works is taken."""
    for largest in range(min(k, MOST), 0, -1):
        n = n_c[: largest + 2].astype(float)
        if (n[1 : largest + 1] == 0).any():
            continue
        c = np.arange(1, largest + 1)
        common = (largest + 1) * n[largest + 1] / n[1]
        if common >= 1:
            continue
        d = ((c + 1) * n[2:] / (n[1:-1] * c) - common) / (1 - common)
        if (d > 0).all() and (d < 1).all():
            out = np.ones(MOST + 2)
            out[1 : largest + 1] = d
            return out
    out = np.ones(MOST + 2)
    out[0] = -1
    return out


SMOOTHING = Katz
