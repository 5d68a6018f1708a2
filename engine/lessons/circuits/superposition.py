"""Superposition: more directions than numbers, each of them on seldom, and whether they are found again.

What      x = sum_g a_g d_g; d_g of length 1, drawn at random; a_g is 0 but with probability p, then from 0 to 1;
          recovery = mean over g of max over features of |cos(d_g, direction of the feature)|
Source    Elhage et al., Toy Models of Superposition, 2022; the measure: Sharkey, Braun & Millidge, Taking Features out
          of Superposition with Sparse Autoencoders, 2022 (mean max cosine similarity)
Shapes    G = planted directions, D = width, M = vectors, F = features
Differs   The absolute cosine, so that principal components, which have no sign, are judged alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SOME = 8_000  # vectors


@dataclass(frozen=True, eq=False)
class Planted:
    x_MD: np.ndarray
    directions_GD: np.ndarray
    on_MG: np.ndarray


def plant(directions: int, width: int, share: float, seed: int = 0, count: int = SOME) -> Planted:
    rng = np.random.default_rng(seed)
    d_GD = rng.normal(size=(directions, width))
    d_GD /= np.linalg.norm(d_GD, axis=1, keepdims=True)
    on_MG = rng.random((count, directions)) < share
    a_MG = on_MG * rng.random((count, directions))
    return Planted(a_MG @ d_GD, d_GD, on_MG)


def recovery(directions_GD: np.ndarray, found_FD: np.ndarray) -> np.ndarray:
    """(G,) the largest cosine that a found direction has with each planted one."""
    length_F1 = np.linalg.norm(found_FD, axis=1, keepdims=True)
    found_FD = found_FD / np.maximum(length_F1, 1e-9)
    best: np.ndarray = np.abs(directions_GD @ found_FD.T).max(1)
    return best


def components(x_MD: np.ndarray) -> np.ndarray:
    """Principal components (D, D)."""
    found: np.ndarray = np.linalg.svd(x_MD - x_MD.mean(0), full_matrices=False)[2]
    return found


def at_random(count: int, width: int, seed: int = 1) -> np.ndarray:
    found: np.ndarray = np.random.default_rng(seed).normal(size=(count, width))
    return found
