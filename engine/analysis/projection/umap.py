"""UMAP: the graph of each point's nearest neighbours, drawn so that linked points lie close and
others apart.

What      v(i, j) = exp(-(d(i, j) - d(i, nearest)) / s_i), s_i so that sum_j v = log2(neighbours);
          v or v' joined by v + v' - v v'
          place y makes the cross-entropy of v and 1 / (1 + a |y_i - y_j|^2b) small, by sampled
          gradient steps
Source    McInnes, Healy & Melville, UMAP: Uniform Manifold Approximation and Projection, 2018
Shapes    V = points, D = their dimensions, K = dimensions of the map
Differs   Drawn by umap-learn.  Its neighbours are computed here, exactly; it starts from the
          principal components, so the seed decides only which links are followed when.  The first
          call of a process compiles for seconds: only in a process of its own.
"""

from __future__ import annotations

import warnings
from typing import ClassVar, Self, final

import numpy as np

from engine.analysis.projection import quality
from engine.analysis.projection.base import Given, Map, Projection, Settings, Watch, check
from engine.analysis.projection.between import between
from engine.analysis.projection.pca import PCA
from engine.analysis.projection.tsne import TSNE, loss

EVERY = 10  # epochs from one frame to the next
LARGE = 10_000  # points, above which fewer epochs are enough


@final
class UMAP(Projection):
    title: ClassVar[str] = "UMAP"
    rank, quick, size = 30, False, 15
    apart, seeded = True, True  # it compiles for seconds
    source: ClassVar[str] = (
        "McInnes, Healy & Melville, UMAP: Uniform Manifold Approximation and Projection, 2018"
    )

    def __init__(self, points: np.ndarray, map: Map) -> None:
        self.points, self.map = points, map

    @classmethod
    def drawn(
        cls, given: Given, settings: Settings, watch: Watch | None = None, start: int | None = None
    ) -> Self:
        seed = settings.seed if start is None else start
        return cls.fit(given["points"], settings.dims, settings.size, seed=seed, watch=watch)

    @classmethod
    def steps(cls, points: int, dims: int) -> int:
        """About as many as t-SNE takes."""
        return TSNE.steps(points, dims)

    @classmethod
    def fit(
        cls,
        points: np.ndarray,
        dims: int = 2,
        neighbours: int = 15,
        apart: float = 0.1,
        seed: int = 0,
        watch: Watch | None = None,
    ) -> Self:
        """apart  how close two points may come on the map; `watch` as in t-SNE, but told only when
        all is done."""
        point_VD = check(points, dims)
        v = len(point_VD)
        place_VK = PCA.fit(point_VD, dims).map.positions.astype(np.float64)
        place_VK = 10 * place_VK / (np.abs(place_VK).max() or 1.0)
        place_VK += np.random.default_rng(seed).normal(0, 1e-4, place_VK.shape)
        if v > 3:  # fewer have no neighbourhoods to keep
            place_VK = _by_library(point_VD, place_VK, min(neighbours, v - 1), apart, seed, watch)
        return cls(point_VD, Map(place_VK, loss(point_VD, place_VK, "UMAP"), np.zeros(0)))

    def transform(self, points: np.ndarray) -> np.ndarray:
        """Other points (Q, D) -> (Q, K) float32, between their nearest points of this map."""
        return between(np.asarray(points, np.float64), self.points, self.map.positions)


def _by_library(
    point_VD: np.ndarray,
    start_VK: np.ndarray,
    neighbours: int,
    apart: float,
    seed: int,
    watch: Watch | None,
) -> np.ndarray:
    import umap  # type: ignore[import-untyped]

    near_VN, squared_VN = quality.nearest(point_VD, neighbours - 1)
    # the library counts a point as its own first neighbour
    own_V1 = np.arange(len(point_VD))[:, None]
    known = (
        np.hstack([own_V1, near_VN]),
        np.hstack([0.0 * own_V1, np.sqrt(squared_VN)]).astype(np.float32),
        None,
    )
    epochs = list(range(0, (200 if len(point_VD) > LARGE else 500) + 1, EVERY))
    with warnings.catch_warnings():
        # that seeded work runs on one thread, and that given neighbours can't transform
        warnings.simplefilter("ignore")
        found = umap.UMAP(
            n_components=start_VK.shape[1],
            n_neighbors=neighbours,
            min_dist=apart,
            init=start_VK.astype(np.float32),
            random_state=seed,
            n_jobs=1,
            precomputed_knn=known,
            n_epochs=epochs,
        ).fit(point_VD.astype(np.float32))
    for step, place_VK in zip(epochs, found.embedding_list_, strict=True):
        if watch:
            watch(step, np.asarray(place_VK, np.float32))
    return np.asarray(found.embedding_, np.float32)


PROJECTION = UMAP
