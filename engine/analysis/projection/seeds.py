"""Many seeds: the same points drawn from several random starts, turned onto each other; what still
differs was chance.

What      map s turned by the rotation or mirroring R_s that makes |Y_s R_s - mean|^2 smallest: R =
          U W' of Y_s' mean = U S W';
          then the mean of all, and again until it stays;  covariance_i = 1/(S - 1) sum_s (y_si -
          mean_i)(y_si - mean_i)'
Source    Schoenemann, A generalized solution of the orthogonal Procrustes problem, 1966;
          Gower, Generalized Procrustes analysis, 1975
Shapes    S = seeds, V = points, K = dimensions of the map
Differs   Shifted, turned and mirrored, never stretched: all come from one method with one scale.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

ROUNDS = 20


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """aligned (S, V, K); mean (V, K); covariance (V, K, K), what one map differs from the mean
    by."""

    aligned: np.ndarray
    mean: np.ndarray
    covariance: np.ndarray

    @property
    def says(self) -> str:
        """How far a point moves from seed to seed, against how far the points of one map lie from
        its middle."""
        moved = np.sqrt(self.aligned.var(0).sum(-1).mean())
        apart = np.sqrt(self.aligned.var(1).sum(-1).mean())
        return (
            f"From seed to seed a point moves by {100 * moved / apart:.0f} % of the map's own"
            " spread (root mean square)."
            if apart > 0
            else "All points lie at one place."
        )


def align(place_SVK: np.ndarray) -> Spread:
    """ValueError when there are not at least two maps of the same points."""
    if place_SVK.ndim != 3 or len(place_SVK) < 2:
        raise ValueError("at least two maps of the same points are needed to compare them")
    map_SVK = place_SVK.astype(np.float64) - place_SVK.mean(1, keepdims=True, dtype=np.float64)
    mean_VK = map_SVK[0]
    for _ in range(ROUNDS):
        map_SVK = np.stack([y_VK @ turn(y_VK, mean_VK) for y_VK in map_SVK])
        before, mean_VK = mean_VK, map_SVK.mean(0)
        if np.abs(mean_VK - before).max() <= 1e-9 * (np.abs(mean_VK).max() or 1.0):
            break
    away_SVK = map_SVK - mean_VK
    covariance_VKK = np.einsum("svk,svl->vkl", away_SVK, away_SVK) / (len(map_SVK) - 1)
    return Spread(map_SVK, mean_VK, covariance_VKK)


def turn(from_VK: np.ndarray, to_VK: np.ndarray) -> np.ndarray:
    """The rotation or mirroring (K, K) that brings one set of centred points nearest to the
    other."""
    u_KK, _, w_KK = np.linalg.svd(from_VK.T @ to_VK)
    found: np.ndarray = u_KK @ w_KK
    return found
