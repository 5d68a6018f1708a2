"""The page about co-occurrence: its figures hold the counts, its small training fits them, its
ratios are right; any text."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from engine.course.curriculum import lesson
from engine.lessons.cooccurrence import course
from engine.lessons.cooccurrence.counts import Rules, Typed, table
from engine.live.session import TypedText
from engine.models.glove import Config
from engine.runs import store
from engine.runs.store import RunStore
from pages.ui import saving
from pages.ui.cooccurrence import panels as page
from tests.conftest import ROOT

EXAMPLE = lesson("cooccurrence").example
PAGE = "pages/305_cooccurrence.py"


@pytest.fixture(autouse=True)
def one_run(
    run_folder: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    (tmp_path / "glove").symlink_to(run_folder("glove"), target_is_directory=True)
    monkeypatch.setattr(store, "SHIPPED", tmp_path)
    yield
    st.cache_resource.clear()


def opened(**state: Any) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    for name, value in state.items():
        at.session_state[name] = value
    at.switch_page(PAGE).run()
    assert not at.exception, at.exception
    return at


def said(at: AppTest) -> str:
    return " ".join(m.value for kind in ("markdown", "caption", "info") for m in at.get(kind))


@pytest.mark.parametrize(
    "step,inside",
    [
        ("count", "near.count"),
        ("log", "near.log"),
        ("ppmi", "near.ppmi"),
        ("cosine", "near.cosine"),
    ],
)
def test_saved_figures_hold_the_numbers_of_the_step(
    step: str, inside: str, trained: Callable[[str], Any]
) -> None:
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
    assert drawing.names == (inside,) and drawing.figure(of=saving.of(drawing, run)).chart.to_dict()
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
    at = opened(company="Train GloVe")
    assert "11 words, 62 pairs" in said(at) and "J fell from" in said(at)
    at.session_state["typed"] = TypedText("one")
    next(b for b in at.button if b.label == "Use the text in the box").click().run()
    assert not at.exception and "Nothing to count yet" in said(at)


def test_ratios_of_the_typed_text() -> None:
    at = opened(
        company="Ratios",
        typed=TypedText("ice is cold\nsteam is hot\nice is solid and solid\nsteam is a gas, a gas"),
    )
    next(box for box in at.selectbox if box.label == "Second word j").set_value(3).run()  # steam
    assert not at.exception
    frame = at.dataframe[0].value.set_index("probe k")
    # near ice: is 2, cold, solid 2, and: 6 in all; within five words of steam: is 2, hot, a 2, gas,
    # the comma: 7
    assert frame.loc["is", "ratio"] == f"{(2 / 6) / (2 / 7):.3g}"
    assert frame.loc["cold", "ratio"] == "∞" and frame.loc["gas", "ratio"] == "0"


@pytest.mark.parametrize("text", ["", "one two", "👩‍🚀 🇫🇷 x", "$$ **b** [l](x) <b> |a|"])
def test_the_parts_survive_any_text(text: str) -> None:
    for part in ("Train GloVe", "Ratios"):
        opened(company=part, text=text)


def test_the_settled_part_survives_few_words() -> None:
    at = opened(company="Train GloVe")
    for n, text in enumerate((EXAMPLE, "a b", "", "one two three four")):
        at.session_state["live-cooccurrence"] = {"msg": {"text": text, "seq": n + 1}}
        at.session_state["live-cooccurrence.settle"] = {
            "text": text,
            "selection": {"rules": "4.f.b.ppmi.75.1"},
            "n": n,
        }
        at.run()
        assert not at.exception, at.exception
        assert ("Too little to factorise" in said(at)) == (text in ("a b", ""))


def test_sources_of_vectors_side_by_side() -> None:
    """The shares and neighbours on the page are those of the vectors that it made."""
    from engine.analysis import embedding_sources as made

    text = made.Text.of(made.toy())
    at = opened(company="Sources")

    def shares() -> list[float]:
        (found,) = (f.value["share"].tolist() for f in at.dataframe if "share" in f.value)
        return found[:3]

    random = made.together(text.words, made.random(text, 16, 1))
    counted = made.together(text.words, made.counted(text, 16))
    trained = made.together(text.words, made.trained(text, 16, 1).vector_TVD[-1])
    assert shares() == [random, counted, trained]
    at.slider(key="source_step").set_value(0).run()
    assert shares() == [random, counted, random]
    (near,) = (f.value for f in at.dataframe if "word" in f.value)
    assert near["random numbers"].tolist() == near["trained with a small net"].tolist()
    at.selectbox(key="source_text").set_value("above").run()
    assert not at.exception and not any("share" in f.value for f in at.dataframe)
