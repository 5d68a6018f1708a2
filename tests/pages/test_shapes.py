"""The page of the task shapes: its questions, its five shapes, what it says; by AppTest, with small
models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from engine.core.registry import models
from engine.runs import store
from engine.training.fit import fit
from pages.ui.shapes import panels, shape, turned
from tests.conftest import ROOT, TEXT, small
from tests.pages.test_every_page import answered

QUESTIONS = {  # rnn.md A12
    ("one", "one", "yes"): "One to one",
    ("one", "a sequence", "yes"): "One to many",
    ("a sequence", "one", "no"): "Many to one",
    ("a sequence", "a sequence", "yes"): "Many to many, in step",
    ("a sequence", "a sequence", "no"): "Many to many, delayed",
}


@pytest.fixture(scope="module", autouse=True)
def small_runs(
    run_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    root, words = tmp_path_factory.mktemp("shipped"), tmp_path_factory.mktemp("words")
    for model in ("lstm", "sentiment", "tagger", "tagger_both"):
        (root / model).symlink_to(run_folder(model), target_is_directory=True)
    config = small(models.get("lstm"), tokenizer="words", vocabulary=60, steps=3)
    for _ in fit(words / "run", store.Recipe("lstm", config, store.digest(TEXT), 0), TEXT):
        pass
    (root / "lstm_words").symlink_to(words / "run", target_is_directory=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "SHIPPED", root)
        patch.setenv("UNROLLED_HOME", str(tmp_path_factory.mktemp("home")))
        yield
    st.cache_resource.clear()


def opened(**query: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.switch_page("pages/435_shapes.py")
    for name, value in query.items():
        at.query_params[name] = value
    at.run()
    assert not at.exception, at.exception
    return at


def chosen(at: AppTest) -> str:
    return str(at.session_state["shape"])


@pytest.mark.parametrize("answers", QUESTIONS)
def test_three_questions_lead_to_each_shape(answers: tuple[str, str, str]) -> None:
    assert shape.find(answers[0], answers[1], answers[2] == "yes") == QUESTIONS[answers]


def test_the_questions_choose_the_shape_and_the_shape_answers_them() -> None:
    at = opened()
    assert chosen(at) == "Many to one"
    by_key = lambda key: next(c for c in at.segmented_control if c.key == key)  # noqa: E731
    by_key("comes_out").set_value("a sequence").run()
    assert not at.exception and chosen(at) == "Many to many, delayed"
    by_key("in_step").set_value("yes").run()
    assert chosen(at) == "Many to many, in step"
    by_key("goes_in").set_value("one").run()
    assert chosen(at) == "One to many" and by_key("in_step").disabled
    by_key("shape").set_value("One to one").run()
    assert (at.session_state["goes_in"], at.session_state["comes_out"]) == ("one", "one")


def first(at: AppTest, text: str) -> tuple[dict[str, Any], np.ndarray]:
    return answered(at, "shapes", text)


@pytest.mark.parametrize(
    ("query", "readers"),
    [
        ({"shape": "One to one"}, ["alone"]),
        ({"shape": "One to one", "example_one_to_one": "next character"}, ["alone"]),
        ({"shape": "One to many"}, ["typed", "written"]),
        ({"shape": "One to many", "after": "nothing", "draw": "7"}, ["typed", "written"]),
        ({"shape": "Many to one"}, ["sentiment"]),
        ({"shape": "Many to many, in step"}, ["tagger", "tagger_both"]),
        ({"shape": "Many to many, in step", "example_in_step": "next word"}, ["lstm"]),
        ({"shape": "Many to many, in step", "example_in_step": "next character"}, ["lstm"]),
        ({"shape": "Many to many, delayed"}, ["typed"]),
        ({"shape": "Sideways"}, ["sentiment"]),
    ],
)
def test_every_shape_answers_a_key(query: dict[str, str], readers: list[str]) -> None:
    at = opened(**query)
    for text in ("the old cat", "", "x" * 300, "👩‍🚀 \u202e <b>"):
        header, numbers = first(at, text)
        assert [part["id"] for part in header["readings"]] == readers and not np.isnan(
            numbers
        ).any()
    rows = header["layout"]["panels"][0]["rows"]
    assert {row["reader"] for row in rows} <= set(readers)


def test_what_is_written_is_sent_with_its_probabilities() -> None:
    at = opened(shape="One to many", example_one_to_many="next character")
    header, numbers = first(at, "the c")
    written = header["readings"][1]
    assert written["labels"][0] == "c"
    (drawn,) = written["fields"]
    p = numbers[drawn["at"] : drawn["at"] + drawn["count"]]
    for t, rows in enumerate(written["top"][:-1]):
        found = dict(map(tuple, rows)).get(written["labels"][t + 1])
        assert 0 < p[t] <= 1 and (found is None or p[t] == pytest.approx(found, rel=1e-4))
    assert p[-1] == 0


def test_the_page_tells_what_later_words_turned(trained: Callable[[str], Any]) -> None:
    """Each tag "when it was the last word" is that of the text cut behind it."""
    model = trained("tagger_both")
    trace = model.trace("the old cat saw")
    rows = turned.turned(model, trace.text, trace)
    for (word, then, now), t in zip(rows, range(4), strict=True):
        cut = model.trace(" ".join(trace.text.split()[: t + 1])).field("tag").values[-1]
        assert (word, then, now) == (
            trace.tokens[t],
            model.names[cut.argmax()],
            model.names[trace.field("tag").values[t].argmax()],
        )
    at = opened(shape="Many to many, in step")
    first(at, "the old cat saw")
    at.session_state["live-shapes.settle"] = {"text": "the old cat saw", "selection": {}}
    at.run()
    assert not at.exception and any("later word" in s.value for s in at.subheader)
    assert list(at.dataframe[0].value["word"]) == ["the", "old", "cat", "saw"]


def test_two_orders_of_the_same_words_and_no_claim_without_a_measurement() -> None:
    at = opened()
    table = at.dataframe[0].value
    assert list(table["text"]) == [text for pair in turned.PAIRS for text in pair]
    for one, other in turned.PAIRS:
        assert sorted(one.lower().replace(",", "").split()) == sorted(
            other.lower().replace(",", "").split()
        )
    said = " ".join(m.value for m in at.markdown)
    # the small model has no test in its note
    assert "percentage points" in said and "not a good classifier" not in said


def test_a_missing_model_is_named() -> None:
    assert panels.runs(shape.SHAPES["Many to one"], "good or bad film")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "SHIPPED", ROOT / "nowhere")
        assert panels.runs(shape.SHAPES["Many to many, in step"], shape.TAG) == "tagger"
        assert panels.runs(shape.SHAPES["One to one"], shape.WORD) == "lstm --set tokenizer=words"


def test_mistakes_need_texts_with_the_labels_of_the_run() -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.session_state["fold.mistakes"] = True
    at.switch_page("pages/435_shapes.py").run()
    assert not at.exception, at.exception
    assert any("no labelled text with the labels of this run" in i.value for i in at.info)
