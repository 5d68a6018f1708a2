"""The page of moved words: its numbers are those of the engine, it bears any input, and a missing
seed is said."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from engine.course.curriculum import lesson
from engine.runs import store as runs
from engine.runs.store import RunStore
from engine.vectors import contextual, moved
from pages.ui.moved.chosen import short
from pages.ui.moved.words import whole
from tests.conftest import ROOT

SHIPPED = ("vectors_novels_0", "vectors_novels_1", "vectors_wiki_0", "vectors_wiki_1")


def opened() -> AppTest:
    st.cache_resource.clear()
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.switch_page("pages/335_moved.py")
    at.run()
    assert not at.exception
    return at


def test_the_table_says_what_the_engine_says() -> None:
    at = opened()
    at.text_input(key="moved_words").set_value("china Water zzzz").run()
    frame = at.dataframe[0].value
    store = RunStore()
    first, twin, second, last = (store.load(store.find(id)).space for id in SHIPPED)
    found = moved.compare(first, second)
    assert frame["word"].tolist() == ["china", "Water"]
    rows = [found.row(w) for w in ("china", "water")]
    np.testing.assert_allclose(frame["moved"], found.distance[rows], atol=1e-6)
    rare = np.maximum(
        *(
            moved.chance(moved.compare(*pair), found.counts)[1]
            for pair in ((first, twin), (second, last))
        )
    )
    np.testing.assert_allclose(
        frame["times the rare chance"], (found.distance / rare)[rows], rtol=1e-5
    )
    assert frame["moved"][0] > 3 * frame["moved"][1], "china stood on the table; water stayed water"
    assert frame["nearest before"][0] == whole(found.neighbours(rows[0], 5)[0])
    assert any("zzzz" in c.value for c in at.caption)


def test_no_name_is_cut() -> None:
    words = ["plates", "oil", "quantity", "cups", "dishes"]
    assert whole(words) == "plates, oil, quantity, cups" and whole(words, 60) == ", ".join(words)
    assert (
        whole(["donaudampfschifffahrtsgesellschaft", "a"]) == "donaudampfschifffahrtsgesellschaft"
    )
    titles = [
        "Small, novels, seed 0",
        "Small, wiki, seed 0",
        "Large, news",
        "GloVe",
        "A, x",
        "A, y",
    ]
    assert [short(t, titles) for t in titles] == [
        *("novels, seed 0", "wiki, seed 0", "Large, news", "GloVe", "x", "y")
    ]
    assert short("A, x", ["A, x", "A, y", "B, x"]) == "A, x"


def test_the_words_of_the_lesson_were_among_others_before() -> None:
    store, (words, _, other) = RunStore(), lesson("moved").tries
    found = moved.compare(*(store.load(store.find(id)).space for id in (SHIPPED[0], SHIPPED[2])))
    before, after = (
        {
            w: found.neighbours(found.row(w), 5)[k]
            for w in (*words.text.split(), *other.text.split())
        }
        for k in (0, 1)
    )
    for word, then in {
        "china": "cups",
        "cell": "room",
        "gay": "bright",
        "plate": "cups",
        "coach": "carriage",
        "civil": "loyal",
        "base": "cruel",
    }.items():
        assert then in before[word] and then not in after[word]


def test_a_snapshot_can_be_compared_with_the_end() -> None:
    at = opened()
    at.selectbox(key="moved_from").set_value("vectors_wiki_0@46")
    at.run()
    assert not at.exception
    early = at.dataframe[0].value["moved"]
    at.selectbox(key="moved_from").set_value("vectors_wiki_0@1840")
    at.run()
    assert not at.exception and (early.to_numpy() > at.dataframe[0].value["moved"].to_numpy()).all()


@pytest.mark.parametrize("text", ["", "zzzz qqqq", "😀 ... <b>", "china " * 80])
def test_any_words_are_borne(text: str) -> None:
    at = opened()
    at.text_input(key="moved_words").set_value(text[:400]).run()
    at.text_area(key="places_text").set_value(text).run()
    assert not at.exception
    if "china" not in text:
        assert at.info, "it is said that nothing was found"


def test_places_of_a_word_are_the_states_of_the_model() -> None:
    at = opened()
    at.text_area(key="places_text").set_value("the sea and the old sea\nby the sea").run()
    at.selectbox(key="places_word").set_value("sea").run()
    assert not at.exception
    store = RunStore()
    model = store.load(store.find("transformer"))
    found = contextual.read(
        model, ["the sea and the old sea", "by the sea"], "residual", model.config.layers - 1
    )
    unit = found.values - found.values.mean(0)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    seas = unit[found.of("sea")]
    off = (seas @ seas.T)[~np.eye(3, dtype=bool)].mean()
    assert any(f"with itself elsewhere: {off:.2f} on average" in c.value for c in at.caption)


def test_without_a_second_seed_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_folder: Callable[[str], Path]
) -> None:
    for name in ("vectors_novels_0", "vectors_wiki_0"):
        shutil.copytree(runs.SHIPPED / name, tmp_path / "shipped" / name)
    monkeypatch.setattr(runs, "SHIPPED", tmp_path / "shipped")
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path / "home"))
    at = opened()
    assert any("another `--seed`" in c.value for c in at.caption)
    shutil.rmtree(tmp_path / "shipped" / "vectors_wiki_0")
    shutil.rmtree(tmp_path / "shipped" / "vectors_novels_0" / "snapshots", ignore_errors=True)
    at = opened()
    assert any("needs two tables of word vectors" in i.value for i in at.info)
