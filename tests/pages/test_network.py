"""The page on a network: it opens at each part, and tells the browser only what a step of its first
minute has chosen."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from tests.conftest import ROOT

PARTS = (
    "Backpropagation by hand",
    "Without an activation",
    "Slopes and gradients by layer",
    "The loss around it",
)


@pytest.mark.parametrize("part", PARTS)
def test_every_part_opens(part: str) -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    at.query_params["part"] = part
    at.session_state["net_units"] = "8-8"
    at.session_state["net_other"] = 3
    at = at.switch_page("pages/403_network.py").run()
    assert not at.exception, at.exception
    boards = [c.proto for c in at.get("bidi_component") if "network/" in c.proto.js_content]
    assert len(boards) == 2
    told = [json.loads(board.json) for board in boards]
    assert [one["asked"] for one in told] == [{"net_units": "8-8"}] * 2
    assert told[0]["scale"]["low"] == -1 and len(told[0]["scale"]["dark"]) == 11


def test_why_it_came_late() -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    at.query_params["part"] = "Why it came late"
    at = at.switch_page("pages/403_network.py").run()
    assert not at.exception, at.exception
    words = "\n".join(str(e.value) for kind in ("markdown", "latex") for e in getattr(at, kind))
    assert (
        "The neuron has 3 weights and one line." in words and "The network has 33 weights" in words
    )
    assert r"h=\begin{bmatrix}1 & -2 & 0.5 & 3\end{bmatrix}" in words and "1 − 0.5" in words
    at.slider(key="drop_p").set_value(0.0).run()
    at.text_input(key="drop_h").set_value("").run()
    assert not at.exception and any("Type a number" in info.value for info in at.info)
