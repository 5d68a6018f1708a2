"""Co-occurrence: its figures hold the counts, its small training fits them, its ratios are right; any text."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

from engine.course.curriculum import lesson
from engine.frame.blocks import Problem
from engine.lessons.cooccurrence import course, live, sources
from engine.lessons.cooccurrence.counts import Typed
from engine.lessons.cooccurrence.parts import compared, ratios, svd, train
from engine.live import cache
from engine.models.glove import Config
from engine.runs.store import RunStore
from engine.text.tokenizers.words import Words
from engine.vectors import cooccurrence, ppmi
from tests.conftest import shipped, together
from tests.lessons.blocks import charts, said, tables

LESSON = lesson("cooccurrence")
EXAMPLE = LESSON.example

WANTED: dict[str, tuple[tuple[str, str], float]] = {
    # "paris is a capital city": paris meets four words once; rows of 4, 4 and 4 x (1, 5, 5, 3, 3, 1, 1,
    # 1, 2, 2, 1) = 100 in all
    "count": (("paris", "capital"), 1),
    "log": (("is", "a"), math.log(5)),
    "ppmi": (("paris", "capital"), math.log((1 / 100) / (4 / 100 * 12 / 100))),
    "cosine": (("paris", "orange"), 0.5),
}


def derived(text: str, **asks: object) -> tuple[list[str], dict[str, np.ndarray]]:
    model = cache.model(RunStore().find("glove"))
    trace = model.trace(text, fields=("vector",))
    found = live.derive(model, trace, asks)
    words = [trace.tokens[int(t)].lower() for t in found["first"][1]]
    return words, {name: np.asarray(values) for name, (_, values) in found.items()}


@together("step", WANTED)
def test_the_numbers_of_a_step(step: str) -> None:
    words, found = derived(EXAMPLE, shows=step)
    (row, column), want = WANTED[step]
    assert found["near"][words.index(row), words.index(column)] == pytest.approx(want, abs=1e-5)


@together(("sides", "weighting"), product(cooccurrence.SIDES, cooccurrence.WEIGHTINGS))
def test_they_are_those_of_large_texts(sides: Any, weighting: Any) -> None:
    """The counts of a plain array against the sparse ones, and what is made of them."""
    read = Words(()).encode(EXAMPLE + "\nice is")
    typed = Typed.of(read.labels, read.spans)
    count_VV = cooccurrence.count(typed.word_M, typed.line_M, len(typed.words), 2, sides, weighting)
    asks = {"size": 2, "ways": sides, "order": weighting}
    _, found = derived(EXAMPLE + "\nice is", **asks)
    np.testing.assert_allclose(found["count"], count_VV.toarray())
    np.testing.assert_allclose(found["row.sum"], count_VV.sum(1))
    _, found = derived(EXAMPLE + "\nice is", shows="ppmi", **asks)
    np.testing.assert_allclose(found["near"], ppmi.ppmi(count_VV).toarray(), atol=1e-9)


@together(
    "asks", [{}, {"size": 99, "ways": "up", "order": 3, "shows": "x"}, {"size": "4"}, {"size": 0}]
)
def test_odd_choices_are_read_as_sound_ones(asks: dict[str, object]) -> None:
    _, found = derived(EXAMPLE, **asks)
    assert found["count"].sum() > 0 and found["step"] == 0


def test_a_small_training_is_kept_whole() -> None:
    found = course.train(EXAMPLE, Config(width=10, window=5, epochs=100))
    steps = list(found.parts)
    assert found.words[:2] == ("a", "is") and found.count_V[:2].tolist() == [5, 5]
    assert found.loss(steps[-1]) < 1e-3 * found.loss(0)
    np.testing.assert_allclose(found.fit(steps[-1]), np.log(found.x_P), atol=0.1)
    counts = zip(found.row_P, found.column_P, found.x_P, strict=True)
    pair = {(found.words[i], found.words[j]): x for i, j, x in counts}
    assert pair["paris", "is"] == 1 and pair["city", "paris"] == 0.25 and pair["a", "is"] == 5
    assert ("paris", "london") not in pair
    with pytest.raises(ValueError, match="nothing to learn from"):
        course.train("one\ntwo", Config())


def test_a_training_and_directions_of_the_typed_text() -> None:
    given: dict[str, Any] = {"lesson": LESSON, "mine": ""}
    words = said(train.blocks(**given))
    assert "11 words, 62 pairs" in words and "J fell from" in words
    assert "Nothing to count yet" in said(train.blocks(**given, text="one"))
    given: dict[str, Any] = {"lesson": LESSON, "mine": ""}
    drawn = charts(svd.blocks(**given))
    assert {*drawn} == {"singular", "directions", "alike"}
    assert "london, rome" in "".join(drawn["directions"].columns["word"])
    for text in ("a b", ""):
        assert isinstance(svd.blocks(**given, text=text)[-1], Problem)


def test_ratios_are_those_of_the_counts() -> None:
    run = RunStore().find("glove")
    kept = run.note["probes"]
    blocks = ratios.blocks(run=run, i="ice", j="steam")
    rows = {row["probe k"]: row for table in tables(blocks) for row in table}
    of = {word: n for n, word in enumerate(kept["words"])}
    for probe, row in rows.items():
        k = kept["probes"].index(probe)
        p = [kept["counts"][of[w]][k] / kept["totals"][of[w]] for w in ("ice", "steam")]
        assert row["ratio"] == ("∞" if not p[1] else f"{p[0] / p[1]:.3g}")
    assert isinstance(ratios.blocks(run=run, i="ice", j="ice")[-1], Problem)


def test_sources_of_vectors_side_by_side() -> None:
    words = sources.toy()[0]

    def shares(**chosen: Any) -> list[float]:
        table = tables(compared.blocks(model=shipped("glove"), **chosen))[0]
        return [row["share"] for row in table][:3]

    made = sources.random(16), sources.count_vectors(16), sources.trained(16)[0][-1]
    random, counted, trained = (sources.measure_classes(words, v) for v in made)
    assert shares() == [random, counted, trained] and shares(step=0) == [random, counted, random]
    assert random < 0.5 < min(counted, trained)
    # cat and dog along one axis, bread and fish along another
    near = np.array([[1, 0], [1, 0.1], [0, 1], [0.1, 1], [0, 0]])
    assert sources.nearest(near, 1)[:, 0].tolist()[:4] == [1, 0, 3, 2]
    assert sources.measure_classes(("cat", "dog", "bread", "fish", "the"), near) == 1
