"""Odds: how much a text speaks for one of two models.

What      odds(segment) = log2 P_A(segment | before) - log2 P_B(segment | before), in bits; they add
          up along the text:
          log2 P(A | text) / P(B | text) = log2 P(A) / P(B) + sum of odds, and where both were held
          for equally likely
          before, P(A | text) = 1 / (1 + 2^-sum)
Source    Good, Probability and the Weighing of Evidence, 1950, ch. 6 (weight of evidence);
          Mosteller & Wallace, Inference and Disputed Authorship, 1964
Shapes    S = segments
Differs   A segment that one of the two reads as an unknown word is left out: P(<unk>) is the chance
          of some unknown word, not of this one.
"""

from __future__ import annotations

import numpy as np

from engine.analysis.compare.alignment import Segments


def odds(found: Segments) -> np.ndarray:
    """(S,) bits for model 0 against model 1; nan where it can't be said."""
    a_S, b_S = found.bits_SM[:, 0], found.bits_SM[:, 1]
    with np.errstate(invalid="ignore"):
        return np.where(found.unknown_SM.any(1), np.nan, b_S - a_S)


def share(total: float) -> float:
    """P(A | text) where A and B were equally likely before."""
    return float(1 / (1 + np.exp2(-np.clip(total, -1000, 1000))))
