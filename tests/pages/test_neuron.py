"""The page One neuron: every part opens, what is dragged is computed again, odd addresses open it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages.ui.neuron import chosen
from tests.conftest import ROOT

PARTS = {
    "Real gates": "of the candidates stand where their tanh is flat",
    "Eight functions": "a sigmoid leaves at most 0.25¹⁰ = 9.54 × 10⁻⁷",
    "AND, OR, XOR": "**14 of 16**",
    "Never quite 1": "reaches neither",
    "By hand": "a=f(z)=0.622459,",
}


def opened(**query: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for name, value in query.items():
        at.query_params[name] = value
    at = at.switch_page("pages/401_neuron.py").run()
    assert not at.exception, at.exception
    return at


def said(at: AppTest) -> str:
    return "\n".join(
        str(e.value) for kind in ("markdown", "latex", "caption") for e in getattr(at, kind)
    )


@pytest.mark.parametrize(("part", "says"), PARTS.items())
def test_parts(part: str, says: str) -> None:
    assert says in said(opened(part=part))


def test_the_sum_is_written_out() -> None:
    found = said(
        opened(n_w1="2", n_w2="-0.5", n_b="0.1", n_x1="0.5", n_x2="1", part="AND, OR, XOR")
    )
    z = 2 * 0.5 - 0.5 * 1 + 0.1
    a = 1 / (1 + np.exp(-z))
    assert r"2 \cdot 0.5 + (-0.5) \cdot 1 + 0.1 = 0.6" in found
    assert f"= {a:.4f}" in found and f"{a * (1 - a) * 0.5:.4f}" in found


def test_what_was_dragged_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    held: dict[str, Any] = {}
    monkeypatch.setattr(st, "session_state", held)
    chosen.wished({"w1": 2, "b": -99.0, "f": "relu", "task": "xor", "seq": 1})
    assert held == {"n_w1": 2.0, "n_b": -15.0, "n_f": "relu", "n_task": "xor"}
    for odd in ({"w1": "x"}, {"f": "nothing"}, {"task": 3}, {"b": float("nan")}, {"w2": True}):
        chosen.wished(odd)
    assert held == {"n_w1": 2.0, "n_b": -15.0, "n_f": "relu", "n_task": "xor"}


@pytest.mark.parametrize(
    "query",
    [{"n_w1": "x"}, {"n_w1": "1e9"}, {"n_f": "<b>"}, {"n_task": "nand"}, {"n_x1": "nan"}],
    ids=str,
)
def test_an_odd_address_opens_the_page(query: dict[str, str]) -> None:
    found = opened(**query, part="AND, OR, XOR")
    assert found.session_state["n_f"] == "sigmoid" and found.session_state["n_w1"] == 1.5


def test_a_flat_neuron_says_so() -> None:
    flat = said(opened(n_f="relu", n_b="-9", part="AND, OR, XOR"))
    assert "**Flat**" in flat
    assert "**Saturated**" in said(opened(n_b="9", part="AND, OR, XOR"))
    assert "one neuron gets three corners right at most" in said(
        opened(n_task="xor", part="AND, OR, XOR")
    )


def test_by_hand() -> None:
    at = opened(part="By hand")
    words = said(at)
    assert r"\begin{bmatrix}0.235004 & 0.470007 & 0.705011\end{bmatrix}" in words
    assert r"=\begin{bmatrix}10 & 0 & 7\end{bmatrix}" in words and r"0.3\cdot(-1)=-0.3" in words
    assert "512 + 300 = **812**" in words and "512 · 812 = **415,744**" in words
    assert r"\left[\begin{array}{rr|rrr}" in words and r"_{W_{hh}h}" in words
    for key, value in (
        ("hand_x", "1 2"),
        ("hand_gate", ""),
        ("hand_w", "💡"),
        ("hand_state", "1 2 3 4"),
        ("hand_read", ""),
    ):
        at.text_input(key=key).set_value(value).run()
        assert not at.exception and at.info
    at.slider(key="hand_forget").set_value(1.0).run()
    assert "nothing is ever forgotten" in said(at)
