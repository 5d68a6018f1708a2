"""Maps and what they keep: t-SNE, quality, samples, axes, seeds and groups, each against something
independent."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from engine.analysis.projection import axes, clusters, quality, sampling, seeds, tsne, work
from engine.analysis.projection.between import between
from engine.analysis.projection.pca import PCA
from engine.analysis.projection.tsne import TSNE
from engine.analysis.projection.work import Frames, Settings, make


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


@pytest.mark.slow
def test_tsne_neighbourhoods_are_those_of_opentsne() -> None:
    from openTSNE.affinity import PerplexityBasedNN

    points = cloud(90)
    theirs = PerplexityBasedNN(points, perplexity=10, method="exact", n_jobs=1).P.toarray()
    np.testing.assert_allclose(tsne._neighbours(points, 10), theirs, atol=2e-7)
    assert theirs.max() > 1e-3


def test_tsne_keeps_as_much_as_scikit_learn_and_tells_its_way() -> None:
    from sklearn import manifold

    points, seen = cloud(150, groups=4), []
    ours = TSNE.fit(
        points, watch=lambda step, place: seen.append((step, place.copy()))
    ).map.positions
    theirs = manifold.TSNE(perplexity=30, n_jobs=1, random_state=0).fit_transform(points)
    trust = [quality.measure(points, place).trust.mean() for place in (ours, theirs)]
    assert trust[0] > 0.85 and trust[0] > trust[1] - 0.02
    assert [step for step, _ in seen] == list(range(0, 501, tsne.EVERY))
    assert np.array_equal(seen[-1][1], ours) and np.abs(seen[0][1]).max() < 1e-3
    assert not np.allclose(TSNE.fit(points, seed=1).map.positions, ours)


@pytest.mark.parametrize("k", [1, 5, 10])
def test_quality_equals_scikit_learn(k: int) -> None:
    from sklearn.manifold import trustworthiness

    points = cloud(80)
    place = PCA.fit(points, 2).map.positions
    found = quality.measure(points, place, k)
    assert found.trust.mean() == pytest.approx(
        trustworthiness(points, place, n_neighbors=k), abs=1e-12
    )
    assert found.continuity.mean() == pytest.approx(
        trustworthiness(place, points, n_neighbors=k), abs=1e-12
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
    # True nearest on the map: of 0 it is 1, rank 3 there (2 lost); of 1 it is 0, rank 4 (3 lost);
    # of 4 it is 3, rank 3 (2 lost).
    assert found.continuity == pytest.approx([1 / 3, 0, 1, 1, 1 / 3])


def test_a_map_without_loss_is_perfect_and_too_few_points_are_refused() -> None:
    flat = cloud(50, 2)
    found = quality.measure(flat, 3 * flat + 1)
    assert (found.trust == 1).all() and (found.continuity == 1).all() and (found.kept == 10).all()
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


def test_samples_are_drawn_from_all_words_and_say_so() -> None:
    found = sampling.draw(1000, 100, 7)
    assert (
        len(np.unique(found.rows)) == 100
        and found.rows.max() > 900
        and (np.diff(found.rows) > 0).all()
    )
    assert found.says == "100 of 1,000 words, drawn at random with seed 7."
    assert np.array_equal(found.rows, sampling.draw(1000, 100, 7).rows) and not np.array_equal(
        found.rows, sampling.draw(1000, 100, 8).rows
    )
    hits = np.bincount(
        np.concatenate([sampling.draw(20, 5, seed).rows for seed in range(800)]), minlength=20
    )
    assert abs(hits - 200).max() < 60  # each is expected 200 times, with a standard deviation of 12
    assert sampling.draw(30, 100, 0).says == "All 30 words."


def test_samples_by_frequency_take_alike_from_every_band() -> None:
    assert sampling.shares([2, 100, 100], 30) == [2, 14, 14] and sampling.shares([5, 5], 10) == [
        5,
        5,
    ]
    counts = np.array([50_000] * 2 + [500] * 100 + [5] * 900)
    found = sampling.draw(1002, 30, 0, counts)
    assert [int((counts[found.rows] == c).sum()) for c in (50_000, 500, 5)] == [2, 14, 14]
    assert "14 with 1 to 9, 14 with 100 to 999, 2 with 10,000 to 99,999 occurrences" in found.says


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
        ("", "write a word"),
        ("king + quark", "“quark” has no vector"),
        (" + - ", "write a word"),
        ("king " * 13, "12 words at most"),
    ):
        with pytest.raises(ValueError, match=says):
            axes.total(written, words.get)
    with pytest.raises(ValueError, match="ends that differ"):
        axes.Axes.fit(np.eye(2), [(words["king"], words["king"])])


def test_turned_maps_lie_on_each_other() -> None:
    rng = np.random.default_rng(0)
    place = rng.normal(size=(30, 2)) * [3, 1]
    turns = [np.linalg.qr(rng.normal(size=(2, 2)))[0] for _ in range(6)]
    found = seeds.align(np.stack([place @ t + rng.normal(size=2) for t in turns]))
    assert np.abs(found.covariance).max() < 1e-15 and "moves by 0 %" in found.says
    assert np.array_equal(
        np.sort(np.linalg.eigvalsh(np.cov(found.mean.T))).round(6),
        np.sort(np.linalg.eigvalsh(np.cov(place.T))).round(6),
    )


def test_ellipses_are_the_spread_of_the_seeds() -> None:
    rng = np.random.default_rng(0)
    place = 20 * rng.normal(size=(60, 2))
    noisy = place + rng.normal(size=(400, 60, 2)) * [0.5, 0.1]
    found = seeds.align(noisy)
    np.testing.assert_allclose(found.covariance.mean(0), [[0.25, 0], [0, 0.01]], atol=0.012)
    with pytest.raises(ValueError, match="two maps"):
        seeds.align(noisy[:1])


def test_silhouettes_equal_scikit_learn() -> None:
    from sklearn.metrics import silhouette_samples

    points, group = cloud(90, groups=3), np.random.default_rng(0).integers(0, 4, 90)
    np.testing.assert_allclose(
        clusters._silhouettes(points, group), silhouette_samples(points, group), atol=1e-4
    )
    assert clusters.separation(points, group) == pytest.approx(
        [silhouette_samples(points, group)[group == g].mean() for g in range(4)], abs=1e-4
    )


def test_noise_has_the_mean_and_covariance_of_the_data() -> None:
    points = cloud(4000, 4, groups=3)
    drawn = clusters.noise(points, 0)
    np.testing.assert_allclose(drawn.mean(0), points.mean(0), atol=0.6)
    np.testing.assert_allclose(np.cov(drawn.T), np.cov(points.T), rtol=0.1, atol=4)
    unit = points / np.linalg.norm(points, axis=1, keepdims=True)
    np.testing.assert_allclose(np.linalg.norm(clusters.noise(unit, 0), axis=1), 1)


@pytest.mark.parametrize(
    ("groups", "warns"), [(4, False), (1, True)], ids=["data with groups", "data without"]
)
def test_the_warning_comes_where_there_are_no_groups(groups: int, warns: bool) -> None:
    points = cloud(160, 10, groups)

    def method(points: np.ndarray, number: int) -> np.ndarray:
        place: np.ndarray = TSNE.fit(points, perplexity=15).map.positions
        return place

    found = clusters.judge(points, method(points, 0), method, noises=2)
    assert found.warns == warns and ("Do not trust" in found.says) == warns
    if groups > 1:
        assert len(found.separation) == groups and found.borne_out.all()
        assert found.separation.min() > 2 * found.noise.max()


def test_everything_of_a_map_is_made_together() -> None:
    points, told = cloud(60), []
    arrays, said = make(
        {"points": points}, Settings("map", "tsne", size=10), lambda share, what: told.append(share)
    )
    assert arrays["frames"].shape == (len(arrays["steps"]), 60, 2) and np.array_equal(
        arrays["frames"][-1], arrays["places"]
    )
    found = quality.measure(points, arrays["places"])
    assert np.array_equal(arrays["near"], found.near) and arrays["trust"] == pytest.approx(
        found.trust
    )
    a, b = points[0], points[arrays["near"][0, 0]]
    assert arrays["cosine"][0, 0] == pytest.approx(a @ b / np.linalg.norm(a) / np.linalg.norm(b))
    assert (
        f"{found.kept.mean():.1f} are among" in said["lost"]
        and told == sorted(told)
        and told[-1] == 1
    )
    with pytest.raises(KeyError, match="no 'nope'"):
        make({"points": points}, Settings("map", "nope"), lambda share, what: None)


def test_frames_thin_out_when_they_become_too_many() -> None:
    frames = Frames(200_000)  # room for 8
    for step in range(40):
        frames(step, np.full((2, 2), step, np.float32))
    kept = frames.arrays()["steps"].tolist()
    assert len(kept) <= 9 and kept[0] == 0 and len({b - a for a, b in pairwise(kept)}) == 1


def test_several_starts_make_ellipses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "SEEDS", 3)
    arrays, said = make(
        {"points": cloud(40)}, Settings("seeds", "tsne", size=5), lambda share, what: None
    )
    assert (
        arrays["covariance"].shape == (40, 2, 2)
        and (np.linalg.eigvalsh(arrays["covariance"]) >= -1e-6).all()
    )
    assert arrays["covariance"].max() > 0 and "From seed to seed" in said["lost"]
