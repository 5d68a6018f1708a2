"""Maps and what they keep: what every file of engine/analysis/projection promises; PCA, t-SNE, quality and
axes, each against something independent; maps that take long, in a process of their own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.analysis.projection import apart, axes, quality, tsne
from engine.analysis.projection.base import Projection
from engine.analysis.projection.between import between
from engine.analysis.projection.pca import PCA
from engine.analysis.projection.tsne import TSNE
from engine.analysis.projection.umap import UMAP
from engine.core.registry import projections
from tests.conftest import together


def cloud(v: int = 120, d: int = 8, groups: int = 1, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    points: np.ndarray = (
        rng.normal(size=(v, d)) + 9 * rng.normal(size=(groups, d))[rng.integers(0, groups, v)]
    )
    return points


def brute(points: np.ndarray) -> np.ndarray:
    squared: np.ndarray = ((points[:, None] - points[None]) ** 2).sum(-1)
    return squared


def test_tsne_follows_its_gradient_and_keeps_as_much_as_scikit_learn() -> None:
    rng = np.random.default_rng(1)
    v = 2 * tsne.ROWS + 37  # three blocks, the last one cut
    place, p = rng.normal(0, 3, (v, 2)), rng.random((v, v))
    p = p + p.T
    pull, push, total = tsne._forces(p.astype(np.float32), place.astype(np.float32))
    w = 1 / (1 + brute(place))
    away = place[:, None] - place[None]
    np.testing.assert_allclose(pull, ((p * w)[:, :, None] * away).sum(1), rtol=2e-3, atol=2e-2)
    np.testing.assert_allclose(push, ((w * w)[:, :, None] * away).sum(1), rtol=2e-3, atol=2e-2)
    assert total == pytest.approx(w.sum() - v, rel=1e-4)
    from sklearn import manifold

    points = cloud(150, groups=4)
    theirs = manifold.TSNE(perplexity=30, n_jobs=1, random_state=0).fit_transform(points)
    places = TSNE.fit(points).map.positions, theirs
    trust = [quality.measure(points, place).trust.mean() for place in places]
    assert trust[0] > 0.85 and trust[0] > trust[1] - 0.02


@together("k", [1, 5, 10])
def test_quality_equals_scikit_learn(k: int) -> None:
    from sklearn.manifold import trustworthiness

    points = cloud(80)
    place = PCA.fit(points, 2).map.positions
    found = quality.measure(points, place, k)
    assert found.trust.mean() == pytest.approx(
        trustworthiness(points, place, n_neighbors=k), abs=1e-12
    )
    order, shown = (
        np.argsort(np.where(np.eye(80, dtype=bool), np.inf, brute(x.astype(float))), 1)[:, :k]
        for x in (points, place)
    )
    assert np.array_equal(found.near, order)
    assert found.kept.tolist() == [
        len(set(a) & set(b)) for a, b in zip(order.tolist(), shown.tolist(), strict=True)
    ]
    some = quality.measure(points, place, k, np.array([3, 50, 7]))
    assert np.array_equal(some.trust, found.trust[[3, 50, 7]])
    assert np.array_equal(some.near, found.near[[3, 50, 7]])


def test_a_map_without_loss_is_perfect_and_too_few_points_are_refused() -> None:
    flat = cloud(50, 2)
    found = quality.measure(flat, 3 * flat + 1)
    assert (found.trust == 1).all() and (found.kept == 10).all()
    with pytest.raises(ValueError, match="too few"):
        quality.measure(flat[:12], flat[:12], 10)


def test_points_between_stand_where_they_are_known_and_between_where_not() -> None:
    points, place = cloud(40), cloud(40, 2, seed=1).astype(np.float32)
    np.testing.assert_allclose(between(points[:5], points, place), place[:5], atol=1e-3)
    # The nearest five of 12 points on a line, at distances 1, 1, 3, 3, 5 or further: by hand with
    # weights 1/d^2.
    line = np.arange(0, 24, 2.0)[:, None]
    weights = np.array([1, 1, 1 / 9, 1 / 9, 1 / 25])
    assert between(np.array([[11.0]]), line, line)[0, 0] in (
        pytest.approx((weights * [10, 12, 8, 14, 6]).sum() / weights.sum(), abs=1e-5),
        pytest.approx((weights * [10, 12, 8, 14, 16]).sum() / weights.sum(), abs=1e-5),
    )


def test_axes_and_sums_of_words_by_hand() -> None:
    # The axis from (1, 0, 0) to (0, 1, 0) is (-1, 1, 0) / sqrt 2; the one from (0, 0, 1) to (0, 0,
    # -1) is (0, 0, -1).
    e = np.eye(3)
    fitted = axes.Axes.fit(e, [(e[0], e[1]), (e[2], -e[2])])
    half = 1 / np.sqrt(2)
    np.testing.assert_allclose(fitted.map.positions, [[-half, 0], [half, 0], [0, -1]], atol=1e-7)
    # Variances 1/3 and 2/9 of a total of 3 * 2/9.
    assert fitted.map.shares == pytest.approx([1 / 2, 1 / 3])
    assert "90° to each other" in fitted.map.lost
    np.testing.assert_allclose(fitted.transform(2 * e[:1]), [[-2 * half, 0]], atol=1e-6)
    words = {"king": np.array([2.0, 0]), "man": np.array([0, 3.0])}
    np.testing.assert_allclose(axes.total("king - man + king", words.get), [2, -1])
    np.testing.assert_allclose(axes.total("−man", words.get), [0, -1])
    for written, says in (
        ("", "Write a word"),
        ("king + quark", "“quark” has no vector"),
        (" + - ", "Write a word"),
        ("king " * 13, "12 words at most"),
    ):
        with pytest.raises(ValueError, match=says):
            axes.total(written, words.get)
    with pytest.raises(ValueError, match="ends that differ"):
        axes.Axes.fit(np.eye(2), [(words["king"], words["king"])])


def blob(v: int = 200, d: int = 12, seed: int = 0) -> np.ndarray:
    """Points whose directions have unlike variances, so that components are well separated, off the origin."""
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
    points: np.ndarray = rng.normal(size=(v, d)) * (2.0 ** -np.arange(d)) @ turn + 5
    return points


def drawn(id: str, points: np.ndarray, dims: int = 2) -> Projection:
    return projections.get(id).drawn({"points": points}, dims)


# axes need the ends of each; umap compiles for seconds, see test_map_apart.py
ALONE = [id for id in projections.ids() if id not in ("axes", "umap")]


BAD = [
    (np.zeros((0, 4)), "there are none"),
    (np.zeros((1, 4)), "there is one"),
    (np.zeros((9, 1)), "not in 2"),
    (np.full((9, 4), np.nan), "not finite"),
    (np.zeros(9), "shape"),
]


@pytest.mark.parametrize("id", ALONE)
class TestContract:
    def test_maps_every_point_and_says_what_was_lost(self, id: str) -> None:
        for dims in (2, 3):
            map = drawn(id, blob(), dims).map
            assert map.positions.shape == (200, dims) and map.positions.dtype == np.float32
            assert np.isfinite(map.positions).all()
            assert map.lost.endswith(".")
            with pytest.raises(ValueError, match="read-only"):
                map.positions[0] = 0

    def test_is_repeatable_and_places_other_points(self, id: str) -> None:
        fitted = drawn(id, blob())
        assert np.array_equal(fitted.map.positions, drawn(id, blob()).map.positions)
        assert fitted.transform(blob(3)).shape == (3, 2)
        with pytest.raises(ValueError, match="12 dimensions, not 5"):
            fitted.transform(np.zeros((3, 5)))

    def test_refuses_with_a_sentence_and_bears_points_that_are_all_the_same(self, id: str) -> None:
        for points, says in BAD:
            with pytest.raises(ValueError, match=says):
                projections.get(id).drawn({"points": points})
        assert np.isfinite(drawn(id, np.ones((9, 4))).map.positions).all()


@together("shape", [(200, 12), (8, 30), (3, 3)])
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
    moved = PCA.fit(points[order], dims).map.positions - fitted.map.positions[order]
    assert np.abs(moved[:, used]).max() < 1e-4
    assert fitted.variances.sum() == pytest.approx(points.var(0, ddof=1).sum())
    assert np.abs(fitted.transform(points) - fitted.map.positions).max() < 1e-5


def groups(each: int) -> np.ndarray:
    """Three groups of points (V, 10), far from each other."""
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(8 * g, 1, (each, 10)) for g in range(3)]).astype(np.float32)


@pytest.mark.slow
def test_a_map_from_another_process_is_the_same() -> None:
    point_VD = groups(30)
    there = apart.draw("tsne", {"points": point_VD})
    here = TSNE.drawn({"points": point_VD}, 2)
    np.testing.assert_allclose(there.map.positions, here.map.positions, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(there.transform(point_VD[:3]), there.map.positions[:3], atol=1e-3)
    with pytest.raises(ValueError, match="at least two points"):
        apart.draw("tsne", {"points": point_VD[:1]})


@pytest.mark.slow
def test_umap_keeps_the_groups_apart_and_the_neighbours_near() -> None:
    point_VD = groups(40)
    made = UMAP.drawn({"points": point_VD}, 2)
    place_GVK = made.map.positions.reshape(3, 40, 2)
    centre_GK = place_GVK.mean(1)
    within = np.linalg.norm(place_GVK - centre_GK[:, None], axis=-1).max()
    between = min(np.linalg.norm(centre_GK[a] - centre_GK[b]) for a, b in ((0, 1), (0, 2), (1, 2)))
    assert between > 2 * within
    again = UMAP.drawn({"points": point_VD}, 2)
    np.testing.assert_array_equal(again.map.positions, made.map.positions)
