"""Co-occurrence: its figures hold the counts, its small training fits them, its ratios are right; any
text."""

from __future__ import annotations

import ast
import math
from typing import Any

import numpy as np
import pytest

from engine.course.curriculum import lesson
from engine.frame.blocks import Block, Problem, Rows, blocks_in
from engine.lessons.cooccurrence import course, sources
from engine.lessons.cooccurrence import live as page
from engine.lessons.cooccurrence.counts import Rules, Typed, table
from engine.lessons.cooccurrence.parts import compared, ratios, svd, train
from engine.models.glove import Config
from engine.runs.store import RunStore
from pages.ui import saving
from tests.conftest import shipped

LESSON = lesson("cooccurrence")
EXAMPLE = LESSON.example


def said(blocks: list[Block]) -> str:
    return "\n".join(str(getattr(block, "words", block)) for block in blocks)


@pytest.mark.parametrize(
    "step,inside",
    [
        ("count", "near.count"),
        ("log", "near.log"),
        ("ppmi", "near.ppmi"),
        ("cosine", "near.cosine"),
    ],
)
def test_saved_figures_hold_the_numbers_of_the_step(step: str, inside: str) -> None:
    run = RunStore().find("glove")
    stage = page.stage(run)
    traces, _ = stage.traces(EXAMPLE, None)
    panel = next(p for p in stage.panels if p.id == "near")
    assert panel.figure is not None
    drawing = panel.figure(traces, {"rules": f"4.f.b.{step}.75.1"})
    field = drawing.inputs()[0]
    words = {w: i for i, w in enumerate(field.axes[0].labels)}  # type: ignore[union-attr]
    value = lambda a, b: float(field.values[words[a], words[b]])  # type: ignore[union-attr]  # noqa: E731
    # "paris is a capital city": paris meets four words once; rows of 4, 4 and 4 x (1, 5, 5, 3, 3,
    # 1, 1, 1, 2, 2, 1) = 100 in all
    smooth = np.array([4, 20, 20, 12, 12, 4, 4, 4, 8, 8, 4.0]) ** 0.75
    want = {
        "count": (value("paris", "capital"), 1),
        "log": (value("is", "a"), math.log(5)),
        "ppmi": (value("paris", "capital"), math.log((1 / 4) / (12**0.75 / smooth.sum()))),
        "cosine": (value("paris", "orange"), 0.5),
    }
    assert want[step][0] == pytest.approx(want[step][1], abs=1e-5)
    assert (
        drawing.names == (inside,)
        and drawing.figure(of=saving.describe_source(drawing, run)).chart.to_dict()
    )
    assert ast.parse(saving.make(drawing, run, "near", "py", False))


@pytest.mark.parametrize(
    "rules",
    [
        None,
        "",
        "x",
        "99.f.b.count.100.1",
        "4.q.b.count.100.1",
        "0.d.l.ppmi.0.0",
        "4.f.b.count.100",
        "٤.f.b.count.100.1",
    ],
)
def test_odd_rules_are_read_as_sound_ones(rules: str | None) -> None:
    found = Rules.read(rules)
    assert 1 <= found.window <= 20 and 0 < found.alpha <= 1 and found.shift >= 1


@pytest.mark.parametrize(
    "text", ["", "\n\n", "one", "a a", "👩‍🚀 🇫🇷", "שלום عالم", "x" * 3000, "half \ud83d of one"]
)
def test_any_text_has_a_table(text: str) -> None:
    trace = page.cache.model(RunStore().find("glove")).trace(text)
    typed = Typed.of(trace.tokens, trace.spans)
    for step in page.STEPS:
        assert table(typed, Rules(step=step)).shape == (len(typed.words),) * 2


def test_a_small_training_is_kept_whole() -> None:
    found = course.train(EXAMPLE, Config(width=10, window=5, epochs=100))
    steps = list(found.parts)
    assert found.words[:2] == ("a", "is") and found.count_V[:2].tolist() == [5, 5]
    assert found.loss(steps[-1]) < 1e-3 * found.loss(0)
    np.testing.assert_allclose(found.fit(steps[-1]), np.log(found.x_P), atol=0.1)
    pair = {
        (found.words[i], found.words[j]): x
        for i, j, x in zip(found.row_P, found.column_P, found.x_P, strict=True)
    }
    assert pair["paris", "is"] == 1 and pair["city", "paris"] == 0.25 and pair["a", "is"] == 5
    assert ("paris", "london") not in pair
    with pytest.raises(ValueError, match="nothing to learn from"):
        course.train("one\ntwo", Config())


def test_the_page_trains_on_the_example_and_on_what_is_typed() -> None:
    given: dict[str, Any] = {"lesson": LESSON, "mine": ""}
    words = said(train.blocks(**given))
    assert "11 words, 62 pairs" in words and "J fell from" in words
    assert "Nothing to count yet" in said(train.blocks(**given, text="one"))


def test_directions_of_the_typed_text() -> None:
    given: dict[str, Any] = {"lesson": LESSON, "mine": ""}
    charts = {b.name: b for b in blocks_in(svd.blocks(**given)) if hasattr(b, "entries")}
    assert {*charts} == {"singular", "directions", "alike"}
    assert "london, rome" in "".join(charts["directions"].entries[0].columns["word"])
    for text in ("a b", ""):
        assert isinstance(svd.blocks(**given, text=text)[-1], Problem)


def test_ratios_are_those_of_the_counts() -> None:
    run = RunStore().find("glove")
    kept = run.note["probes"]
    blocks = ratios.blocks(run=run, i="ice", j="steam")
    rows = {row["probe k"]: row for b in blocks_in(blocks) if isinstance(b, Rows) for row in b.rows}
    of = {word: n for n, word in enumerate(kept["words"])}
    for probe, row in rows.items():
        k = kept["probes"].index(probe)
        p = [kept["counts"][of[w]][k] / kept["totals"][of[w]] for w in ("ice", "steam")]
        assert row["ratio"] == ("∞" if not p[1] else f"{p[0] / p[1]:.3g}")
    assert isinstance(ratios.blocks(run=run, i="ice", j="ice")[-1], Problem)


def test_sources_of_vectors_side_by_side() -> None:
    words = sources.toy()[0]

    def shares(**chosen: Any) -> list[float]:
        table = next(
            b for b in compared.blocks(model=shipped("glove"), **chosen) if isinstance(b, Rows)
        )
        return [row["share"] for row in table.rows][:3]

    random, counted, trained = (
        sources.together(words, v)
        for v in (sources.random(16), sources.counted(16), sources.trained(16)[0][-1])
    )
    assert shares() == [random, counted, trained] and shares(step=0) == [random, counted, random]
    assert random < 0.5 < min(counted, trained)
    # cat and dog along one axis, bread and fish along another
    near = np.array([[1, 0], [1, 0.1], [0, 1], [0.1, 1], [0, 0]])
    assert sources.nearest(near, 1)[:, 0].tolist()[:4] == [1, 0, 3, 2]
    assert sources.together(("cat", "dog", "bread", "fish", "the"), near) == 1
