"""The parts below the pooling page that train small nets: their numbers, and what a person can type."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.conftest import ROOT, only_runs


@pytest.fixture(scope="module", autouse=True)
def a_place_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    yield from only_runs(tmp_path_factory)


def opened(part: str, **state: Any) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.switch_page("pages/436_pooling.py")
    at.query_params["part"] = part
    for name, value in state.items():
        at.session_state[name] = value
    at.run()
    assert not at.exception, at.exception
    return at


def test_attention_behind_an_lstm() -> None:
    at = opened("Attention behind an LSTM")
    table = at.dataframe[-1].value
    assert table["its answer"][0] == "7" and table["right of 1,000 texts"][0] > "99"
    for text in ("", "a", "a3 a", "👩‍🚀", "a3 " * 19 + "a"):
        at.text_input(key="hybrid_text").set_value(text).run()
        assert not at.exception


def test_an_lstm_over_an_lstm() -> None:
    at = opened("An LSTM over an LSTM")
    table = at.dataframe[-1].value
    assert table["its answer"][0] == "CBADC"
    assert table["steps from the first letter to the answer"].tolist() == ["11", "30"]
    for text in ("", "a b", "👩‍🚀", "abcdA " * 5):
        at.text_input(key="levels_text").set_value(text).run()
        assert not at.exception


def test_steps_that_can_be_undone() -> None:
    at = opened("Steps that can be undone", undo_keep=0.5)
    table = at.dataframe[-1].value
    assert table["bytes kept here"].nunique() == 1
    assert table["bytes kept by autograd"].nunique() == 3
    assert any("With f = 0.5" in e.value for e in at.markdown)
