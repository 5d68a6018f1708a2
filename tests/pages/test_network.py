"""The page on a network: it opens at each part, and tells the browser only what a step of its first
minute has chosen."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from tests.conftest import ROOT

PARTS = ("Backpropagation by hand", "Without an activation", "The loss around it")


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
