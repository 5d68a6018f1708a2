"""Gradient reach: models chosen together, and which ones are offered."""

from __future__ import annotations

import json

from streamlit.testing.v1 import AppTest

from engine.lessons.curriculum import lesson
from tests.conftest import ROOT


def test_a_comparison_chooses_runs_at_their_earliest_step() -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    at.switch_page(f"pages/{lesson('reach').page}").run()
    assert not at.exception, at.exception
    picker = next(box for box in at.multiselect if box.key == "reach.runs")
    folders = ROOT / "assets/runs"
    titles = {
        id: json.loads((folders / id / "run.json").read_text("utf-8"))["title"]
        for id in ("lstm_agreement", "seq2seq", "translator", "bert")
    }
    assert [id for id in titles if titles[id] in " ".join(picker.options)] == ["lstm_agreement"]
    next(one for one in at.button if one.label == "Early and late in training").click()
    at.run()
    assert not at.exception, at.exception
    asked = at.query_params["runs"]
    assert "".join(asked).split(",") == [
        "lstm_agreement@14",
        "lstm_agreement",
        "transformer_agreement@42",
        "transformer_agreement",
    ]
