"""Word axis: a scale between two words, and where other words stand on it.

What      value(w) = 2 (w - m) . d / |d|^2 with d = high - low, m their middle: low stands at -1,
          high at +1
Source    the semantic differential of Osgood, Suci & Tannenbaum, The Measurement of Meaning, 1957,
          as a direction between word vectors, and taken out: Bolukbasi et al., Man is to Computer
          Programmer as Woman is to Homemaker?, 2016, sec. 4 and 6; what is left of it: Gonen &
          Goldberg, Lipstick on a Pig, 2019
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


def remove(unit_ND: np.ndarray, direction_D: np.ndarray) -> np.ndarray:
    """Vectors (N, D) without their part along a direction: v - (v . d) d / |d|^2.  ValueError where it has no
    length."""
    d_D = np.asarray(direction_D, np.float64)
    length = float(d_D @ d_D)
    if length < 1e-9:
        raise ValueError("the two ends of an axis have to be two different words")
    found: np.ndarray = unit_ND - np.outer(unit_ND @ d_D / length, d_D)
    return found


def with_their_own(vector_ND: np.ndarray, near: int) -> float:
    """The mean share of the nearest words that are of a word's own half: the first half of the rows, or the
    second.  0.5 where the halves are mixed."""
    unit_ND = vector_ND / np.linalg.norm(vector_ND, axis=1, keepdims=True)
    cosine_NN = unit_ND @ unit_ND.T
    np.fill_diagonal(cosine_NN, -np.inf)
    half_N = np.arange(len(vector_ND)) >= len(vector_ND) // 2
    nearest_NK = np.argpartition(-cosine_NN, near, 1)[:, :near]
    return float((half_N[nearest_NK] == half_N[:, None]).mean())
