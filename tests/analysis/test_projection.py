"""Maps and what they keep: t-SNE, quality and axes, each against something
independent."""

from __future__ import annotations

import numpy as np
import pytest

from engine.analysis.projection import axes, quality, tsne
from engine.analysis.projection.between import between
from engine.analysis.projection.pca import PCA
from engine.analysis.projection.tsne import TSNE


def cloud(v: int = 120, d: int = 8, groups: int = 1, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    points: np.ndarray = (
        rng.normal(size=(v, d)) + 9 * rng.normal(size=(groups, d))[rng.integers(0, groups, v)]
    )
    return points


def brute(points: np.ndarray) -> np.ndarray:
    squared: np.ndarray = ((points[:, None] - points[None]) ** 2).sum(-1)
    return squared


def test_tsne_gradient_is_the_formula() -> None:
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


def test_tsne_keeps_as_much_as_scikit_learn() -> None:
    from sklearn import manifold

    points = cloud(150, groups=4)
    theirs = manifold.TSNE(perplexity=30, n_jobs=1, random_state=0).fit_transform(points)
    places = TSNE.fit(points).map.positions, theirs
    trust = [quality.measure(points, place).trust.mean() for place in places]
    assert trust[0] > 0.85 and trust[0] > trust[1] - 0.02


@pytest.mark.parametrize("k", [1, 5, 10])
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
    assert np.array_equal(some.trust, found.trust[[3, 50, 7]]) and np.array_equal(
        some.near, found.near[[3, 50, 7]]
    )


def test_quality_by_hand() -> None:
    # On the line 0, 1, 2.5, 4.5, 7 the nearest are 1, 0, 1, 2, 3.  The map exchanges the first and
    # the last point.
    line = np.array([0, 1, 2.5, 4.5, 7.0])[:, None]
    place = np.array([7, 1, 2.5, 4.5, 0.0])[:, None]
    # Nearest on the map: of 0 it is 3, its true rank 3 (lost 2); of 1 it is 4, rank 4 (3 lost); of
    # 2 it is 1; of 3 it is 2; of 4 it is 1, rank 3 (2 lost).
    # Trustworthiness of a point: 1 - 2 / (1 * (10 - 3 - 1)) * lost = 1 - lost / 3.
    found = quality.measure(line, place, 1)
    assert found.trust == pytest.approx([1 / 3, 0, 1, 1, 1 / 3])
    assert found.kept.tolist() == [0, 0, 1, 1, 0]


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


def test_axes_by_hand() -> None:
    # The axis from (1, 0, 0) to (0, 1, 0) is (-1, 1, 0) / sqrt 2; the one from (0, 0, 1) to (0, 0,
    # -1) is (0, 0, -1).
    e = np.eye(3)
    fitted = axes.Axes.fit(e, [(e[0], e[1]), (e[2], -e[2])])
    half = 1 / np.sqrt(2)
    np.testing.assert_allclose(fitted.map.positions, [[-half, 0], [half, 0], [0, -1]], atol=1e-7)
    # Variances 1/3 and 2/9 of a total of 3 * 2/9.
    assert (
        fitted.map.shares == pytest.approx([1 / 2, 1 / 3])
        and "90° to each other" in fitted.map.lost
    )
    np.testing.assert_allclose(fitted.transform(2 * e[:1]), [[-2 * half, 0]], atol=1e-6)


def test_sums_of_words() -> None:
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
