"""The map of words: which it shows, what it says and sends of them, and whether its groups are there in truth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.analysis.projection import quality
from engine.analysis.projection.tsne import TSNE
from engine.frame.blocks import Chart, Problem, Rows, Warn
from engine.lessons.embeddings import groups, head, live
from engine.lessons.embeddings.parts import real, space
from engine.live import cache
from engine.models.wordspace import WordSpace
from engine.runs.store import Run, RunStore
from tests.conftest import shipped, together


@pytest.fixture(scope="module")
def run() -> Run:
    return RunStore().find("skipgram")


def chosen(run: Run, **values: Any) -> Any:
    given = {"run": run, "open_run": cache.model, **values}
    return head.HEAD.answer({**given, **head.HEAD.values(given)})


def test_the_map_its_neighbours_and_the_typed_words(run: Run) -> None:
    _, made = chosen(run, map_kind="tsne")
    assert chosen(run, map_kind="tsne")[1] is made, "what was drawn is found again"
    model = cache.model(run, WordSpace)
    drawn = live.drawn(made, model)
    told, unit = drawn.once(model), model.space.unit[made.rows]
    words, tables = told.labels["point"], {spec.name: values for spec, values in told.tables}
    assert [model.space.words[i] for i in made.rows] == words and len(words) == 500
    np.testing.assert_array_equal(tables["place"], made.places)
    want = quality.measure(unit, made.places)
    says = str(drawn.pictures[0].says)
    assert f"Of the 10 true nearest neighbours of a word {want.kept.mean():.1f} are" in says
    assert "120 with 10 to 99" in says and "with seed 0" in says
    near = tables["near"]
    assert np.array_equal(near, want.near)
    np.testing.assert_allclose(tables["cosine"][7], unit[near[7]] @ unit[7], atol=1e-5)
    assert tables["trust"] == pytest.approx(want.trust, abs=1e-6)
    trace = shipped("skipgram").trace(f"the {words[9]} zyxgrob", fields=("vector",))
    found = drawn.derive(model, trace, {})
    typed = np.asarray(found["typed"][1])
    assert np.isfinite(typed[:, 0]).tolist() == [False, True, True, False], "mark, unknown word"
    assert typed[2] == pytest.approx(made.places[9], abs=1e-5)
    assert found["row"][1][2] == 9


def test_axes_of_ones_own_and_an_end_that_is_no_word(run: Run) -> None:
    _, made = chosen(run, map_kind="axes")
    wanted = "500 words between “man” and “woman”, and between “small” and “large”"
    assert live.title_of(made) == wanted
    assert "° to each other" in live.says(made)
    for written in ("", "zyxgrob", "man - man", "👩‍🚀 </script>"):
        blocks, made = chosen(run, map_kind="axes", map_left=written)
        assert made is None and isinstance(blocks[-1], Problem), written


def test_samples_are_drawn_from_all_words_and_alike_from_every_band() -> None:
    rows, says = head.sample(1000, 100, None)
    assert len(np.unique(rows)) == 100 and rows.max() > 900 and (np.diff(rows) > 0).all()
    assert says == "100 of 1,000 words, drawn at random with seed 0."
    assert head.sample(30, 100, None)[1] == "All 30 words."
    assert head.shares([2, 100, 100], 30) == [2, 14, 14] and head.shares([5, 5], 10) == [5, 5]
    counts = np.array([50_000] * 2 + [500] * 100 + [5] * 900)
    rows, says = head.sample(1002, 30, counts)
    assert [int((counts[rows] == c).sum()) for c in (50_000, 500, 5)] == [2, 14, 14]
    assert "14 with 1 to 9, 14 with 100 to 999, 2 with 10,000 to 99,999 occurrences" in says


def cloud(v: int, d: int = 8, groups: int = 1) -> np.ndarray:
    rng = np.random.default_rng(0)
    return rng.normal(size=(v, d)) + 9 * rng.normal(size=(groups, d))[rng.integers(0, groups, v)]


def test_silhouettes_are_scikit_learn_s_and_noise_is_like_the_data() -> None:
    from sklearn.metrics import silhouette_samples

    points, group = cloud(90, groups=3), np.random.default_rng(1).integers(0, 4, 90)
    theirs = silhouette_samples(points, group)
    np.testing.assert_allclose(groups._silhouettes(points, group), theirs, atol=1e-4)
    means = [theirs[group == g].mean() for g in range(4)]
    assert groups.separation(points, group) == pytest.approx(means, abs=1e-4)
    points = cloud(4000, 4, groups=3)
    drawn = groups.noise(points, 0)
    np.testing.assert_allclose(drawn.mean(0), points.mean(0), atol=0.6)
    np.testing.assert_allclose(np.cov(drawn.T), np.cov(points.T), rtol=0.1, atol=4)
    unit = points / np.linalg.norm(points, axis=1, keepdims=True)
    np.testing.assert_allclose(np.linalg.norm(groups.noise(unit, 0), axis=1), 1)


@together(("many", "warns"), [(4, False), (1, True)])
def test_the_warning_comes_where_there_are_no_groups(many: int, warns: bool) -> None:
    points = cloud(160, 10, many)
    noise = [groups.noise(points, seed) for seed in (1, 2)]
    place, *drawn = (TSNE.fit(p, perplexity=15).map.positions for p in (points, *noise))
    found = groups.judge(points, place, [*zip(noise, drawn, strict=True)])
    assert found.warns == warns
    if many > 1:
        assert len(found.separation) == many and found.borne_out.all()
        assert found.separation.min() > 2 * found.noise.max()


@pytest.mark.slow
def test_the_groups_of_the_shipped_words(run: Run) -> None:
    made, model = chosen(run)[1], cache.model(run, WordSpace)
    assert not [b for b in real.blocks(model=model, made=made) if isinstance(b, Rows)]
    blocks = real.blocks(model=model, made=made, compare=True)
    table = next(block for block in blocks if isinstance(block, Rows))
    assert sum(row["words"] for row in table.rows) == 500 and len(table.rows) >= 2
    fine = sum(row["words"] for row in table.rows if row["better than noise"] == "yes")
    assert any(isinstance(block, Warn) for block in blocks) == (fine < 250)


def test_in_space_the_nearest_words_are_named(run: Run) -> None:
    _, made = chosen(run, map_kind="pca")
    model = cache.model(run, WordSpace)
    word = model.space.words[int(made.rows[40])]
    found = space.blocks(model=model, made=made, word=word, draw=True)
    (chart,) = (block for block in found if isinstance(block, Chart))
    columns, point_SD = chart.entries[0].columns, made.given["points"]
    near = np.argsort(-(point_SD @ point_SD[40]))
    assert columns["group"][40] == 2 and (columns["group"][near[1:12]] == 1).all()
    assert (columns["group"] > 0).sum() == 12
    variance = np.linalg.svd(point_SD - point_SD.mean(0), compute_uv=False)[:3] ** 2
    place = np.stack([columns[axis] for axis in "xyz"], 1)
    np.testing.assert_allclose(np.square(place).sum(0), variance, rtol=1e-3)
    figure = chart.figure()
    assert figure.is_plotly and [len(part.x) for part in figure.chart.data] == [488, 11, 1]
    told = space.blocks(model=model, made=made, word="qwxyz", draw=True)
    assert any("“qwxyz” is not among" in str(getattr(block, "words", "")) for block in told)
