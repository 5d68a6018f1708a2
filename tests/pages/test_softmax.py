"""The page Softmax and loss: every part opens, odd addresses and odd wishes change nothing, and the
tokens are those of the model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from engine.analysis.decode.temperature import temperature
from engine.analysis.softmax_loss import Logits
from pages.ui.softmax import chosen, numbers
from tests.conftest import ROOT, shipped

PARTS = {
    "Overflow": "changes no probability",
    "Gradients in numbers": "Both agree with finite differences",
    "Real tokens": "at T = 0.5 as among",
}


def opened(**query: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for name, value in query.items():
        at.query_params[name] = value
    at = at.switch_page("pages/402_softmax.py").run()
    assert not at.exception, at.exception
    return at


def said(at: AppTest) -> str:
    return "\n".join(
        str(e.value) for kind in ("markdown", "latex", "info") for e in getattr(at, kind)
    )


@pytest.mark.parametrize(("part", "says"), PARTS.items())
def test_parts(part: str, says: str) -> None:
    assert says in said(opened(part=part))


@pytest.mark.parametrize(
    "query",
    [
        {"s_z": "x"},
        {"s_z": "1"},
        {"s_z": "1,nan"},
        {"s_t": "nan"},
        {"s_target": "x"},
        {"s_z": "1,2,3,4,5,6,7"},
    ],
    ids=str,
)
def test_an_odd_address_opens_the_page(query: dict[str, str]) -> None:
    found = opened(**query, part="Gradients in numbers").session_state
    assert found["s_z"] == "2,1,0.1,-1" and found["s_t"] == 1.0 and found["s_target"] == 0


def test_an_address_is_kept_within_its_ends() -> None:
    found = opened(s_z="99,-99", s_t="0", s_target="9", part="Gradients in numbers").session_state
    assert (found["s_z"], found["s_t"], found["s_target"]) == ("10,-10", 0.1, 1)


def test_what_was_dragged_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    held: dict[str, Any] = {}
    monkeypatch.setattr(st, "session_state", held)
    chosen.wished({"z": [1, 2.5, -3], "target": 2, "t": 0.5, "seq": 1})
    want = {"s_z": "1,2.5,-3", "s_target": 2, "s_t": 0.5}
    assert held == want
    for odd in ({"z": [1]}, {"z": "1,2"}, {"z": [1, None]}, {"t": "x"}, {"target": float("nan")}):
        chosen.wished(odd)
    assert held == want


def test_the_check_would_fail() -> None:
    one = Logits((2, 1, 0.1), 0)
    assert max(numbers.checked(one, kind) for kind in ("entropy", "squared")) < 1e-9
    assert numbers.checked(Logits((2, 1, 0.1), 0, 0.3), "entropy") < 1e-8


@pytest.mark.parametrize("text", ["The students opened their", "", "👩‍👩‍👧 שלום", "x" * 300])
@pytest.mark.parametrize("run", ["transformer", "lstm", "ngram"])
def test_real_tokens(run: str, text: str) -> None:
    at = opened(part="Real tokens", s_text=text, s_heat="0.5")
    at.selectbox(key="s_run").set_value(run).run()
    assert not at.exception and not at.info
    (table,) = [d.value for d in at.dataframe if "T = 1" in d.value.columns]
    read = at.text_input(key="s_text").value
    trace = shipped(run).trace(read, fields=("probability",))
    p = np.asarray(trace.field("probability").values[-1], float)
    np.testing.assert_allclose(table["T = 1"], np.sort(p)[::-1][:8], rtol=1e-5)
    cold = temperature(p, 0.5).max()
    np.testing.assert_allclose(table["at this temperature"][0], cold, rtol=1e-5)


def test_weights_are_exponential() -> None:
    """The erratum: scores of 2 and 1 do not get weights as 2 to 1, but as e to 1."""
    words = said(opened(part="Gradients in numbers"))
    assert (
        "Classes 1 and 2 have the logits 2 and 1. Their probabilities stand as 2.72 to 1" in words
    )
