"""Modified Kneser-Ney, interpolated: Kneser-Ney with three discounts, for counts of one, two, and
three or more.

What      P_m(w | h) = (a(hw) - D_m(a(hw))) / A(h) + gamma(h) P_{m-1}(w | h'),   P_0 = 1 / V'
          a = adjusted count, A(h) = sum of a(hw), h' = h without its first token, gamma(h) = what
          is left up to 1;
          D_m(j) = j - (j + 1) Y n_{j+1} / n_j for j = 1, 2, 3 and more, with Y = n_1 / (n_1 + 2
          n_2), from the n-grams
          of order m with adjusted count 1 to 4.  A context that was never seen is skipped.
Source    Chen & Goodman, An Empirical Study of Smoothing Techniques for Language Modeling, Computer
          Speech & Language 13, 1999, sec. 3; adjusted counts of n-grams behind <s>, unigrams and
          fallback as in
          Heafield et al., Scalable Modified Kneser-Ney Language Model Estimation, ACL 2013, sec.
          3.1-3.3
Shapes    as in base.py
Differs   Where the discounts cannot be computed they are 0.5, 1, 1.5 (lmplz stops unless asked to
          do so).  N-grams that are cut off leave their probability to the shorter context, so every
          distribution still sums to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from engine.ngram.counts import Counts
from engine.ngram.smoothing.base import Level, Smoothing, count_of_counts

FALLBACK = (0.0, 0.5, 1.0, 1.5)


@final
@dataclass(frozen=True, slots=True)
class ModifiedKneserNey(Smoothing):
    title = "Modified Kneser-Ney"
    rank = 110
    idea = "Kneser-Ney with three discounts: for counts of one, of two, and of three or more."
    source = (
        "Chen & Goodman, An Empirical Study of Smoothing Techniques for Language Modeling, 1999,"
        " sec. 3"
    )
    formula = (
        r"\begin{gathered} P(w \mid h) = \frac{a(hw) - D(a(hw))}{a(h)} + \gamma(h)\,P(w \mid h'),"
        r" \\ a(hw) = N_{1+}(\cdot\,hw) \end{gathered}"
    )
    adjusted = True

    def learn(self, counts: Counts, held_out: np.ndarray | None) -> dict[str, np.ndarray]:
        """`count_of_counts` (n, 4): how many n-grams have the adjusted counts 1 to 4."""
        return {
            "count_of_counts": (
                np.stack([count_of_counts(g.count_G, 4)[1:] for g in counts.orders]).astype(
                    np.uint32
                )
            )
        }

    def kept(self, level: Level) -> np.ndarray:
        d_4 = discounts(level.learned["count_of_counts"][level.order - 1])
        return level.share(level.count_G - d_4[np.minimum(level.count_G, 3)])


def discounts(n_4: Sequence[int] | np.ndarray) -> np.ndarray:
    """(4,) discounts of the counts 0, 1, 2, 3 and more, from how many n-grams were counted 1, 2, 3
    and 4 times."""
    n1, n2, n3, n4 = (float(n) for n in n_4)
    if not (n1 and n2 and n3):
        return np.array(FALLBACK)
    y = n1 / (n1 + 2 * n2)
    d = np.array([0.0, 1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3])
    return d if (d >= 0).all() else np.array(FALLBACK)


SMOOTHING = ModifiedKneserNey
