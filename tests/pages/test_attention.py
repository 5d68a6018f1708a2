"""The page on attention: each question opens, says what its numbers say, and survives what a person
can type."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from engine.saving.export import render
from pages.ui import written
from pages.ui.attention import folds as steps_folds
from pages.ui.attention import hand, masks, panels, pull
from tests.conftest import ROOT, only_runs

SECONDS = 180
HOSTILE = (
    "",
    "a",
    "👩‍🚀 🏳️‍🌈",
    "<script>alert(1)</script> **b** $x^2$",
    "}{ \\frac % #",
    "שלום \u202eabc",
    "apple " * 40,
)


@pytest.fixture(scope="module", autouse=True)
def a_place_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    yield from only_runs(tmp_path_factory)


def opened(*folds: str, **state: Any) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    at.switch_page("pages/505_attention.py")
    for fold in folds:
        at.session_state[f"fold.{fold}"] = True
    for name, value in state.items():
        at.session_state[name.replace("__", ".")] = value
    at.run()
    assert not at.exception, at.exception
    return at


def said(at: AppTest) -> str:
    return "\n".join(
        m.value for m in (*at.markdown, *at.caption, *at.latex, *at.info, *at.warning, *at.error)
    )


def test_shut_folds_cost_nothing_and_each_opens() -> None:
    shut = opened()
    # and the sources, and programs that go wrong
    assert len(shut.expander) == len(steps_folds.FOLDS) + 2 and not shut.dataframe
    at = opened(*steps_folds.FOLDS)
    text = said(at)
    for part in (
        "0.4011 & 0.1978 & 0.4011",
        "this model's heads",
        "moves towards fruit",
        "token 1",
        "bilinear already",
        "In float32 every mask value works",
        "3 tokens that look",
        "6\\cdot 10\\cdot 64",
    ):
        assert part in text, part
    assert [m.value for m in at.metric] == ["4,040", "16,384", "176,640"]


def test_the_notes_wrong_numbers_are_struck_through_and_only_those() -> None:
    text = said(opened("hand", hand__example="Two tokens as printed, with their errors"))
    for wrong in ("13", "15.2", "156.2", "400.04", "0.1", "0.9", "12.2", "14.28"):
        assert f"\\cancel{{{wrong}}}" in text, wrong
    for right in ("5", "6", "61", "43.14"):
        assert f"\\cancel{{{right}}}" not in text, right
    assert "saturated" in text and "11.4 & 14" in text and "Three errors" in text


def test_wirings_and_sizes() -> None:
    assert "size 3 is different from 7" in said(opened("cross", cross__kind="swapped"))
    assert "no error warns you" in said(
        opened("cross", cross__kind="swapped", cross__n=4, cross__m=4)
    )
    big = opened("counts", counts__n=10, counts__d=512, counts__heads=8)
    assert big.metric[1].value == "1,048,576"
    assert "can't be shared out" in said(opened("counts", counts__d=10, counts__heads=3))


@pytest.mark.parametrize("case", masks.CASES)
def test_every_case_of_a_mask(case: str) -> None:
    text = said(opened("masks", masks__case=case))
    assert ("If everything is masked" in text) == (case == "all are hidden")
    assert ("gets weight with: add −1e4" in text) == ("12,000" in case)


@pytest.mark.parametrize("text", HOSTILE)
def test_words_to_pull_of_every_sort(text: str) -> None:
    at = opened("pull", pull__words=text, pull__rounds=3)
    assert ("Type a word" in said(at)) == (not text.split())
    assert all(len(t.proto.arrow_data.data) for t in at.dataframe) or not at.dataframe


def test_formulas_of_any_number() -> None:
    assert (
        written.number(2.71e-25) == r"2.71\cdot 10^{-25}"
        and written.number(0.0) == "0"
        and written.number(-0.5) == "-0.5"
    )
    assert [written.number(x) for x in (np.nan, np.inf, -np.inf)] == [
        r"\text{NaN}",
        r"\infty",
        r"-\infty",
    ]
    assert (
        written.matrix(np.eye(2), np.array([[True, False], [False, False]]))
        == r"\begin{bmatrix}\cancel{1} & 0 \\ 0 & 1\end{bmatrix}"
    )
    assert "no weights" in hand.said(
        hand.attend(*[np.ones((1, 1))] * 3, hidden_NM=np.ones((1, 1), bool)), False
    )
    assert pull._tex("a}b$c") == "abc"


@pytest.mark.parametrize("at", [None, [99, 99], [-3, 2], ["x", None], "layer", [1], {"layer": 1}])
def test_any_head_that_a_browser_asks_for(at: Any) -> None:
    """A head that is not there is the nearest one; the reply holds that head's numbers alone."""
    live = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    live.switch_page("pages/505_attention.py")
    message = {
        "text": "The cat sat",
        "seq": 3,
        "base": None,
        "base_start": None,
        "have": None,
        "start": None,
        "at": at,
    }
    live.session_state["live-attention"] = {"msg": message}
    live.run()
    assert not live.exception
    (component,) = [c for c in live.get("bidi_component") if c.proto.bytes]
    data = component.proto.bytes
    header = json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])
    (reading,) = header["readings"]
    layer, head = reading["said"]["at"]
    assert 0 <= layer < 99 and 0 <= head < 99 and (at != [-3, 2] or (layer, head) == (0, 2))
    assert {f["name"]: f["axes"] for f in reading["fields"]}["attention"] == ["query", "key"]
    assert (
        set(reading["said"]["reach"]) >= {"query", "product", "masked"}
        and reading["said"]["weights"]["numbers"]
    )


def test_a_saved_chain_is_the_matrix_of_the_opened_cell() -> None:
    from engine.live import cache
    from engine.runs.store import RunStore

    run = RunStore().find("transformer")
    stage = panels.stage(run)
    traces, _ = stage.traces("The cat sat", None)
    for field, name in (
        ("attention", "attention"),
        ("product", "score"),
        ("input", "residual.before"),
        ("nothing", "attention"),
    ):
        drawing = panels.opened(traces, {"field": field, "layer": 1, "head": 9_999})
        assert drawing.names == (name,)
        assert render(drawing.figure(), "svg", {}).startswith(b"<svg")
    assert cache.is_open(run)
