"""Word axis: a scale between two words, and where other words stand on it.

What      value(w) = 2 (w - m) . d / |d|^2 with d = high - low, m their middle: low stands at -1,
          high at +1
Source    the semantic differential of Osgood, Suci & Tannenbaum, The Measurement of Meaning, 1957,
          as a direction between word vectors: Bolukbasi et al., Man is to Computer Programmer as
          Woman is to Homemaker?, 2016, sec. 4
Shapes    N = words, D = dimensions
Differs   On unit vectors, so that common words, whose vectors are long, do not stand further out.
"""

from __future__ import annotations

import numpy as np


def project(unit_ND: np.ndarray, low_D: np.ndarray, high_D: np.ndarray) -> np.ndarray:
    """Place (N,) of each unit vector on the axis from one unit vector to the other.  ValueError
    where both are the same."""
    d_D = np.asarray(high_D, np.float64) - low_D
    length = float(d_D @ d_D)
    if length < 1e-9:
        raise ValueError("the two ends of an axis have to be two different words")
    found: np.ndarray = 2 * (unit_ND - (np.asarray(high_D, np.float64) + low_D) / 2) @ d_D / length
    return found


def crossing(first: tuple[np.ndarray, np.ndarray], second: tuple[np.ndarray, np.ndarray]) -> float:
    """Cosine of two axes, each (low, high): 0 where they are at right angles, 1 where they say the
    same."""
    a_D, b_D = first[1] - first[0], second[1] - second[0]
    length = float(np.linalg.norm(a_D) * np.linalg.norm(b_D))
    return float(a_D @ b_D) / length if length else 0.0
