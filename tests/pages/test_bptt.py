"""The page on backpropagation through time: back through layers and through time, side by side."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from engine import ROOT
from engine.analysis import backpropagation_ways
from engine.models.abilities import able
from engine.models.recurrent import RecurrentModel
from engine.views.base import number
from pages.ui.bptt import cost
from tests.conftest import shipped


def test_both_ways_back_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    for other in ("measured", "_counted", "_too_long", "_walls"):
        monkeypatch.setattr(cost, other, lambda *_: {})
    monkeypatch.setattr(cost, "_plate", lambda *_: None)
    monkeypatch.setattr(cost, "LENGTHS", ())
    monkeypatch.setattr(cost.plate, "row", lambda *plates: None)
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    at.query_params["part"] = "What it costs"
    at.switch_page("pages/407_bptt.py").run()
    for back in (2, 5):
        at.slider(key="ways_back").set_value(back).run()
        assert not at.exception
        model = able(shipped("rnn"), RecurrentModel)
        way = backpropagation_ways.over_steps(model, model.tokens("the king"))
        here = f"which has {number(float(way.whole_N[back - 1]))} so far"
        assert f"step {back} of 8" in said(at) and here in said(at)
        at_layer = 3 - min(back, 3) + 1
        deep = cost.through_layers(3)
        assert f"at layer {at_layer}: {number(float(deep.term_N[3 - at_layer]))} is added" in said(
            at
        )
    at.text_input(key="ways_text").set_value("").run()
    assert not at.exception and any("longer text" in found.value for found in at.info)


def said(at: Any) -> str:
    return "\n".join(found.value for found in at.markdown)
