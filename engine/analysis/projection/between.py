"""Between its neighbours: a place for a point that a map was not made with.

What      place(x) = sum_n w_n y_n / sum_n w_n over the NEAR fitted points nearest to x;  w_n = 1 /
          (|x - x_n|^2 + tiny)
Source    Shepard, A Two-Dimensional Interpolation Function for Irregularly-Spaced Data, 1968
          (weights by distance)
Shapes    V = fitted points, Q = other points, D = their dimensions, K = dimensions of the map
Differs   Near in truth, so drawn near on the map, whether or not the map could have placed it
          better by moving the others.
          A point that the map was made with comes out where it lies.
"""

from __future__ import annotations

from typing import Self

import numpy as np

from engine.analysis.projection.base import Map, Projection
from engine.analysis.projection.quality import nearest
from engine.language.message import _, refusal

NEAR = 5


def between(point_QD: np.ndarray, fitted_VD: np.ndarray, place_VK: np.ndarray) -> np.ndarray:
    """(Q, K) float32.  ValueError when the points have other dimensions than those of the map."""
    if point_QD.shape[-1] != fitted_VD.shape[1]:
        raise refusal(
            "this map was made of points with {shape} dimensions, not {shape_2}",
            shape=fitted_VD.shape[1],
            shape_2=point_QD.shape[-1],
        )
    near_QN, squared_QN = nearest(fitted_VD, min(NEAR, len(fitted_VD)), point_QD)
    weight_QN = 1 / (squared_QN.astype(np.float64) + 1e-12)
    weight_QN /= weight_QN.sum(1, keepdims=True)
    placed: np.ndarray = np.einsum("qn,qnk->qk", weight_QN, place_VK[near_QN]).astype(np.float32)
    return placed


class Between(Projection):
    """A map whose axes mean nothing: another point stands between its nearest ones."""

    exact = False

    def __init__(self, points: np.ndarray, map: Map) -> None:
        self.points, self.map = points, map

    @classmethod
    def placed(cls, points: np.ndarray, place_VK: np.ndarray) -> Self:
        """Of points (V, D) whose places (V, K) are known."""
        lost = _("Distances between groups, and their sizes, mean little.")
        return cls(np.asarray(points), Map(place_VK, lost, np.zeros(0)))

    def transform(self, points: np.ndarray) -> np.ndarray:
        """Other points (Q, D) -> (Q, K) float32, between their nearest points of this map."""
        return between(np.asarray(points, np.float64), self.points, self.map.positions)
