"""The page on attention: an address of before leads on, any head is answered, a picture saves as it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from engine.lessons.attention import live
from engine.live import cache
from engine.runs.store import RunStore
from engine.saving.export import render
from tests.conftest import ROOT, only_runs


@pytest.fixture(scope="module", autouse=True)
def a_place_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    yield from only_runs(tmp_path_factory)


def test_a_fold_of_before_is_a_part() -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.switch_page("pages/505_attention.py")
    at.query_params["panel"], at.query_params["learn_start"] = "fold.learn", "keys 0"
    at.run()
    assert not at.exception, at.exception
    assert at.selectbox(key="attention.learn.learn_start").value == "keys"


def test_the_page_on_soft_lookup_leads_on() -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.switch_page("pages/lookup.py")
    at.query_params["rules"], at.query_params["text"] = "40.dot", "four\nthree: 3\nfive: 5"
    at.run()
    assert not at.exception, at.exception
    assert at.text_area(key="attention.lookup.library").value == "four\nthree: 3\nfive: 5"
    assert at.segmented_control(key="attention.lookup.meets").value == "dot"
    assert at.select_slider(key="attention.lookup.heat").value == 1.0


@pytest.mark.parametrize(
    "at", [None, [99, 99], [-3, 2], ["x", None], "layer", [1], {"layer": 1}, [0, 1, "column"]]
)
def test_any_head_that_a_browser_asks_for(at: Any) -> None:
    """A head that is not there is the nearest one; the reply holds that head's numbers alone."""
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    page.switch_page("pages/505_attention.py")
    message = {
        "text": "The cat sat",
        "seq": 3,
        "base": None,
        "base_start": None,
        "have": None,
        "start": None,
        **dict(zip(("layer", "head", "with"), at if isinstance(at, list) else [at])),
        "before": at,
    }
    page.session_state["live-attention"] = {"msg": message}
    page.run()
    assert not page.exception
    (component,) = [c for c in page.get("bidi_component") if c.proto.bytes]
    data = component.proto.bytes
    header = json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])
    (reading,) = header["readings"]
    layer, head, how = reading["said"]["at"]
    assert how in dict(live.WAYS)
    assert 0 <= layer < 99
    assert 0 <= head < 99
    assert at != [-3, 2] or (layer, head) == (0, 2)
    assert {f["name"]: f["axes"] for f in reading["fields"]}["attention"] == ["query", "key"]
    assert set(reading["said"]["reach"]) >= {"query", "product", "masked"}


def test_a_saved_chain_is_the_head_s_weights() -> None:
    run = RunStore().find("transformer")
    stage = live.stage(run)
    traces, _ = stage.traces("The cat sat", None)
    drawing = next(panel.figure for panel in stage.panels if panel.id == "chain" and panel.figure)(
        traces, {"layer": 1, "head": 9_999}
    )
    assert drawing.names == ("attention",)
    assert render(drawing.figure(), "svg", {}).startswith(b"<svg")
    assert cache.is_open(run)
