"""Principal components: the directions in which the points differ most, each at a right angle to
those before it.

What      C = (X - mean)' (X - mean) / (V - 1) = W diag(variance) W';  position = (x - mean) W, the
          largest K variances
Source    Pearson, On Lines and Planes of Closest Fit to Systems of Points in Space, 1901;
          Hotelling, Analysis of a Complex of Statistical Variables into Principal Components, 1933
Shapes    V = points, D = dimensions of the points, K = dimensions of the map
Differs   From the D x D covariance, not by a singular value decomposition of X: for V far above D
          it takes one pass over the points, a block at a time; directions with less than about 1e-8
          of the variance lose digits, 1e-6 where the points come as float32.  A direction and its
          opposite fit equally well: we take the one whose largest loading is positive, so a map
          never flips.
"""

from __future__ import annotations

from typing import ClassVar, Self, final

import numpy as np

from engine.analysis.projection.base import Given, Map, Projection, check
from engine.language.message import _, refusal

ROWS = 4096


@final
class PCA(Projection):
    title: ClassVar[str] = "Principal components"
    rank = 20
    source: ClassVar[str] = (
        "Pearson, On Lines and Planes of Closest Fit to Systems of Points in Space, 1901"
    )

    def __init__(
        self, mean_D: np.ndarray, direction_KD: np.ndarray, variance_D: np.ndarray, map: Map
    ) -> None:
        """variance_D  of every direction, largest first, also of those that the map leaves out."""
        self.mean, self.directions, self.variances, self.map = mean_D, direction_KD, variance_D, map

    @classmethod
    def drawn(cls, given: Given, dims: int = 2) -> Self:
        """With `onto` among what is given, on the directions of those points."""
        point_VD = given["points"]
        if "onto" in given:
            return cls.fit(given["onto"], dims).seen(point_VD)
        return cls.fit(point_VD, dims)

    @classmethod
    def fit(cls, points: np.ndarray, dims: int = 2) -> Self:
        """Points (V, D) -> a fitted map of `dims` dimensions.  ValueError as in
        `Projection.drawn`."""
        points_VD = check(points, dims)
        blocks = [points_VD[start : start + ROWS] for start in range(0, len(points_VD), ROWS)]
        mean_D: np.ndarray = np.stack([part.sum(0) for part in blocks]).sum(0, np.float64) / len(
            points_VD
        )
        product_DD = np.zeros((len(mean_D), len(mean_D)))
        for part in blocks:
            centred = part - mean_D.astype(part.dtype)
            product_DD += centred.T @ centred
        variance_D, direction_DD = np.linalg.eigh(product_DD / (len(points_VD) - 1))
        # eigh sorts upwards, and rounding can go below 0
        variance_D = np.maximum(variance_D[::-1], 0)
        direction_KD = direction_DD.T[::-1][:dims].copy()
        largest_K = np.abs(direction_KD).argmax(1)
        direction_KD *= np.where(direction_KD[np.arange(dims), largest_K] < 0, -1, 1)[:, None]
        share_D = variance_D / variance_D.sum() if variance_D.sum() > 0 else variance_D
        shown, hidden = share_D[:dims].sum(), share_D[dims:].sum()
        lost = _(
            "{dims} of {mean} dimensions carry {shown:.1f} % of the variance; {hidden:.1f}"
            " % is not shown.",
            dims=dims,
            mean=len(mean_D),
            shown=100 * shown,
            hidden=100 * hidden,
        )
        if variance_D.sum() == 0:
            lost = _("All points are the same; there is nothing to tell apart.")
        placed_VK = points_VD @ direction_KD.T.astype(points_VD.dtype) - mean_D @ direction_KD.T
        return cls(mean_D, direction_KD, variance_D, Map(placed_VK, lost, share_D[:dims]))

    def transform(self, points: np.ndarray) -> np.ndarray:
        """Other points (V, D) -> (V, K) float32 on the same map."""
        points_VD = np.asarray(points, np.float64)
        if points_VD.shape[-1] != len(self.mean):
            raise refusal(
                "this map was made of points with {shape} dimensions, not {shape_2}",
                shape=len(self.mean),
                shape_2=points_VD.shape[-1],
            )
        placed: np.ndarray = ((points_VD - self.mean) @ self.directions.T).astype(np.float32)
        return placed

    def seen(self, points: np.ndarray) -> Self:
        """Other points (V, D) as a map of their own, on these directions, with what it loses of
        them."""
        placed_VK = self.transform(points)
        shown, whole = (np.asarray(part, np.float64).var(0).sum() for part in (placed_VK, points))
        share = shown / whole if whole > 0 else 0.0
        lost = _(
            "{directions} directions, found on other points, carry {share:.1f} % of the"
            " variance of these; {share_2:.1f} % is not shown.",
            directions=len(self.directions),
            share=100 * share,
            share_2=100 * (1 - share),
        )
        map = Map(placed_VK, lost, placed_VK.astype(np.float64).var(0) / (whole or 1.0))
        return type(self)(self.mean, self.directions, self.variances, map)


PROJECTION = PCA
