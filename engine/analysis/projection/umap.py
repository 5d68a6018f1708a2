"""UMAP: the graph of each point's nearest neighbours, drawn so that linked points lie close and
others apart.

What      v(i, j) = exp(-(d(i, j) - d(i, nearest)) / s_i), s_i so that sum_j v = log2(neighbours);
          v or v' joined by v + v' - v v'
          place y makes the cross-entropy of v and 1 / (1 + a |y_i - y_j|^2b) small, by sampled
          gradient steps
Source    McInnes, Healy & Melville, UMAP: Uniform Manifold Approximation and Projection, 2018
Shapes    V = points, D = their dimensions, K = dimensions of the map
Differs   Drawn by umap-learn.  Its neighbours are computed here, exactly; it starts from the principal
          components.  The first map of a process compiles for seconds.
"""

from __future__ import annotations

import warnings
from typing import ClassVar, Self, final

import numpy as np

from engine.analysis.projection import quality
from engine.analysis.projection.base import Given, check
from engine.analysis.projection.between import Between
from engine.analysis.projection.pca import PCA

NEIGHBOURS = 15
LARGE = 10_000  # points, from which on fewer epochs are enough


@final
class UMAP(Between):
    title: ClassVar[str] = "UMAP"
    rank = 30
    apart_from: ClassVar[int] = 0
    source: ClassVar[str] = (
        "McInnes, Healy & Melville, UMAP: Uniform Manifold Approximation and Projection, 2018"
    )

    @classmethod
    def drawn(cls, given: Given, dims: int = 2) -> Self:
        point_VD = check(given["points"], dims)
        place_VK = PCA.fit(point_VD, dims).map.positions.astype(np.float64)
        place_VK = 10 * place_VK / (np.abs(place_VK).max() or 1.0)
        place_VK += np.random.default_rng(0).normal(0, 1e-4, place_VK.shape)
        if len(point_VD) > 3:  # fewer have no neighbourhoods to keep
            place_VK = _fit(point_VD, place_VK)
        return cls.placed(point_VD, place_VK)


def _fit(point_VD: np.ndarray, start_VK: np.ndarray) -> np.ndarray:
    neighbours = min(NEIGHBOURS, len(point_VD) - 1)
    near_VN, squared_VN = quality.nearest(point_VD, neighbours - 1)
    # the library counts a point as its own first neighbour
    own_V1 = np.arange(len(point_VD))[:, None]
    distance_VN = np.hstack([0.0 * own_V1, np.sqrt(squared_VN)]).astype(np.float32)
    with warnings.catch_warnings():
        # that Tensorflow is not there, that seeded work runs on one thread, that given neighbours can't transform
        warnings.simplefilter("ignore")
        import umap  # type: ignore[import-untyped]

        found = umap.UMAP(
            n_components=start_VK.shape[1],
            n_neighbors=neighbours,
            init=start_VK.astype(np.float32),
            random_state=0,
            n_jobs=1,
            precomputed_knn=(np.hstack([own_V1, near_VN]), distance_VN, None),
            n_epochs=500 if len(point_VD) < LARGE else 200,
        ).fit(point_VD.astype(np.float32))
    return np.asarray(found.embedding_, np.float32)


PROJECTION = UMAP
