"""The page of n-grams: its counts, its vectors, and any word that is typed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from engine.runs import store
from tests.conftest import ROOT
from tests.pages.tables import tables


@pytest.fixture
def opened(
    run_folder: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AppTest:
    for id in ("fasttext", "charngram", "skipgram"):
        shutil.copytree(run_folder(id), tmp_path / id)
    monkeypatch.setattr(store, "SHIPPED", tmp_path)
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path / "home"))
    st.cache_resource.clear()
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.switch_page("pages/330_pieces.py").run()
    assert not at.exception
    return at


def said(at: AppTest) -> str:
    return " ".join(m.value for m in at.markdown)


def test_the_counts_of_the_notes_put_right(opened: AppTest) -> None:
    opened.text_input(key="pieces_words").set_value("apple applw").run()
    text = said(opened)
    assert (
        "**14** different n-grams" in text
        and "6 of the 14 n-grams" in text
        and "(Jaccard)" in text
        and "27 %" in text
    )
    assert "here it is less than half" in text


def test_neighbours_are_those_of_the_composed_vector(
    opened: AppTest, trained: Callable[[str], Any]
) -> None:
    """The page makes the vector by hand; the model composes it: the same length, whatever the
    word."""
    opened.text_input(key="pieces_words").set_value("captian").run()
    model = trained("fasttext")
    assert "**not known**" in said(opened)
    assert f"Length of the vector: **{np.linalg.norm(model.compose('captian')):.2f}**" in said(
        opened
    )
    frame = tables(opened)[-1]
    mine = frame[frame["table"].str.contains("fasttext")]["nearest words"].iloc[0]
    near = model.space.nearest(model.compose("captian"), 5, without=("captian",))
    assert mine == ", ".join(f"{w} {c:.2f}" for w, c in near)


def test_ngrams_alone_with_the_list_of_the_notes(opened: AppTest) -> None:
    opened.selectbox(key="pieces.run").set_value("charngram").run()
    opened.text_input(key="pieces_words").set_value("cat").run()
    assert "**12** different n-grams" in said(opened)
    assert any("One list for “cat”" in c.value for c in opened.caption)


def test_all_weights_at_nothing_is_said(opened: AppTest) -> None:
    opened.text_input(key="pieces_words").set_value("captain").run()
    for slider in [s for s in opened.slider if s.key.startswith("pieces_weight_")]:
        slider.set_value(0.0)
    opened.run()
    assert not opened.exception and any("nothing is left" in i.value for i in opened.info)


@pytest.mark.parametrize("text", ["", "a", "😀 <b>*", "ß " * 40, "x" * 300, "日本 語"])
def test_any_word_is_borne(opened: AppTest, text: str) -> None:
    opened.text_input(key="pieces_words").set_value(text[:300]).run()
    assert not opened.exception
