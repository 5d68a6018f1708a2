"""Odd one out: of several words the one that points away from the others.

What      score(w) = cos(w, mean of all the unit vectors); the odd one has the smallest
Source    the method `doesnt_match` of gensim (Rehurek & Sojka, Software Framework for Topic
          Modelling, 2010)
Shapes    N = words, D = dimensions
Differs   Every word's score is given, not the odd one alone.
"""

from __future__ import annotations

import numpy as np


def scores(unit_ND: np.ndarray) -> np.ndarray:
    """(N,) float32: how well each unit vector agrees with the mean of all; 0 where the mean is
    zero."""
    mean_D = unit_ND.mean(0) if len(unit_ND) else unit_ND.sum(0)
    length = float(np.linalg.norm(mean_D))
    found: np.ndarray = np.asarray(unit_ND @ mean_D / (length or 1), np.float32)
    return found
