"""Projection: points of many dimensions on a map, and what the map lost.

Shapes    V = points, D = dimensions of the points, K = dimensions of the map
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from engine.language.message import refusal

Given = Mapping[str, np.ndarray]


@dataclass(frozen=True, slots=True, eq=False)
class Map:
    """Where the points lie on the map.

    positions  (V, K) float32
    lost       what the map can't show, in one sentence with its number; a view shows it beside
               every map
    shares     (K,) share of the variance that each axis of the map carries; empty where axes mean
               nothing
    """

    positions: np.ndarray
    lost: str
    shares: np.ndarray

    def __post_init__(self) -> None:
        for name in ("positions", "shares"):
            values = np.asarray(getattr(self, name), np.float32).view()
            values.setflags(write=False)
            object.__setattr__(self, name, values)


class Projection(ABC):
    """Fitted on points (V, D).

    rank   its place in lists
    exact  whether another point has a place of its own on the map, else it stands between its nearest
    apart_from  points from which on it is drawn in a process of its own
    """

    title: ClassVar[str]
    source: ClassVar[str]
    rank: ClassVar[int] = 1000
    exact: ClassVar[bool] = True
    apart_from: ClassVar[int] = 1_000_000
    map: Map  # of the points that it was fitted on

    @classmethod
    @abstractmethod
    def drawn(cls, given: Given, dims: int = 2) -> Self:
        """The map of `given["points"]`, and of what else is given.

        ValueError with a sentence for the reader when there are too few points, or not finite ones.
        """

    @abstractmethod
    def transform(self, points: np.ndarray) -> np.ndarray:
        """Other points (V, D) on the same map: (V, K) float32.  ValueError when their D is
        another."""


def check(points: np.ndarray, dims: int) -> np.ndarray:
    """The points (V, D) as float64, or as float32 where they come so; or a ValueError that says
    what was wrong with them."""
    points_VD = np.asarray(points)
    if points_VD.dtype != np.float32:
        points_VD = points_VD.astype(np.float64)
    if points_VD.ndim != 2:
        raise refusal(
            "a map needs points as rows of one table, not an array of shape {points_VD.shape}"
        )
    v, d = points_VD.shape
    if v < 2:
        raise refusal("a map needs at least two points; there {v|is one|are none}")
    if not 1 <= dims <= min(v, d):
        raise refusal(
            "{v} points of {d} dimensions can be drawn in 1 to {most} dimensions, not in {dims}",
            most=min(v, d),
        )
    # the sum is much quicker
    if not np.isfinite(points_VD.sum()) and not np.isfinite(points_VD).all():
        raise ValueError("some points have coordinates that are not finite numbers")
    return points_VD
