"""Projections: what every file of engine/analysis/projection promises, and PCA against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.analysis.projection.base import Projection
from engine.analysis.projection.pca import PCA
from engine.core.registry import projections


def blob(v: int = 200, d: int = 12, seed: int = 0) -> np.ndarray:
    """Points whose directions have unlike variances, so that components are well separated, off the
    origin."""
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
    points: np.ndarray = rng.normal(size=(v, d)) * (2.0 ** -np.arange(d)) @ turn + 5
    return points


def drawn(id: str, points: np.ndarray, dims: int = 2) -> Projection:
    return projections.get(id).drawn({"points": points}, dims)


# axes need the ends of each; umap compiles for seconds, see test_map_apart.py
ALONE = [id for id in projections.ids() if id not in ("axes", "umap")]


@pytest.mark.parametrize("id", ALONE)
class TestContract:
    def test_has_the_members(self, id: str) -> None:
        kind = projections.get(id)
        assert kind.title and kind.source
        assert isinstance(drawn(id, blob()), Projection)

    @pytest.mark.parametrize("dims", [2, 3])
    def test_maps_every_point_and_says_what_was_lost(self, id: str, dims: int) -> None:
        map = drawn(id, blob(), dims).map
        assert map.positions.shape == (200, dims) and map.positions.dtype == np.float32
        assert np.isfinite(map.positions).all()
        assert map.lost.endswith(".")
        with pytest.raises(ValueError, match="read-only"):
            map.positions[0] = 0

    def test_is_repeatable(self, id: str) -> None:
        one, two = (drawn(id, blob()).map.positions for _ in range(2))
        assert np.array_equal(one, two)

    def test_places_other_points(self, id: str) -> None:
        fitted = drawn(id, blob())
        assert fitted.transform(blob(3)).shape == (3, 2)
        with pytest.raises(ValueError, match="12 dimensions, not 5"):
            fitted.transform(np.zeros((3, 5)))

    @pytest.mark.parametrize(
        ("points", "says"),
        [
            (np.zeros((0, 4)), "there are none"),
            (np.zeros((1, 4)), "there is one"),
            (np.zeros((9, 1)), "not in 2"),
            (np.full((9, 4), np.nan), "not finite"),
            (np.zeros(9), "shape"),
        ],
    )
    def test_refuses_with_a_sentence(self, id: str, points: np.ndarray, says: str) -> None:
        with pytest.raises(ValueError, match=says):
            projections.get(id).drawn({"points": points})

    def test_bears_points_that_are_all_the_same(self, id: str) -> None:
        assert np.isfinite(drawn(id, np.ones((9, 4))).map.positions).all()


def test_pca_by_hand() -> None:
    # Points (-2, -1), (0, 0), (2, 1) lie on one line along (2, 1) / sqrt 5, at -sqrt 5, 0, sqrt 5.
    # Variance along it: (5 + 0 + 5) / 2 = 5; across it: 0.
    fitted = PCA.fit(np.array([[-2.0, -1], [0, 0], [2, 1]]), 1)
    assert fitted.map.positions[:, 0] == pytest.approx([-np.sqrt(5), 0, np.sqrt(5)], abs=1e-6)
    assert fitted.variances == pytest.approx([5, 0], abs=1e-12)
    assert fitted.map.shares == pytest.approx([1])
    assert fitted.map.lost == "1 of 2 dimensions carry 100.0 % of the variance; 0.0 % is not shown."


@pytest.mark.parametrize("shape", [(200, 12), (8, 30), (3, 3)])
def test_pca_equals_scikit_learn(shape: tuple[int, int]) -> None:
    from sklearn.decomposition import PCA as Peer

    points = blob(*shape)
    peer = Peer(2, svd_solver="full")
    theirs = peer.fit_transform(points)
    ours = PCA.fit(points, 2)
    sign = np.sign((ours.directions * peer.components_).sum(1))
    assert np.abs(ours.map.positions - theirs * sign).max() < 1e-5
    assert ours.map.shares == pytest.approx(peer.explained_variance_ratio_, abs=1e-6)
    assert ours.variances[:2] == pytest.approx(peer.explained_variance_, rel=1e-9)
    other = blob(5, shape[1], seed=1)
    assert np.abs(ours.transform(other) - peer.transform(other) * sign).max() < 1e-5


def test_pca_keeps_neighbourhoods() -> None:
    from sklearn.manifold import trustworthiness

    points = blob()
    trust = [
        trustworthiness(points, PCA.fit(points, dims).map.positions, n_neighbors=10)
        for dims in (1, 2, 3)
    ]
    assert trust[0] < trust[1] < trust[2]
    assert trust[1] > 0.9


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 40), st.integers(2, 9))
def test_pca_does_not_depend_on_order_and_signs_are_fixed(seed: int, v: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(v, d)) * (3.0 ** -np.arange(d))
    dims = min(2, v, d)
    fitted = PCA.fit(points, dims)
    assert (fitted.directions[np.arange(dims), np.abs(fitted.directions).argmax(1)] > 0).all()
    order = rng.permutation(v)
    # Two points span one direction only; the second is then any direction across it.
    used = slice(0, min(dims, v - 1))
    assert (
        np.abs(
            PCA.fit(points[order], dims).map.positions[:, used]
            - fitted.map.positions[order][:, used]
        ).max()
        < 1e-4
    )
    assert fitted.variances.sum() == pytest.approx(points.var(0, ddof=1).sum())
    assert np.abs(fitted.transform(points) - fitted.map.positions).max() < 1e-5
