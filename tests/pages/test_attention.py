"""The page on attention: an address of before leads on, and any head is answered."""

from __future__ import annotations

from typing import Any

from engine.lessons.attention import live
from tests.pages.opening import opened, seeing
from tests.pages.test_every_page import answered

own_runs = seeing()


def test_a_fold_of_before_is_a_part() -> None:
    at = opened("attention", panel="fold.learn", learn_start="keys 0")
    assert at.selectbox(key="attention.learn.learn_start").value == "keys"


def test_any_head_that_a_browser_asks_for() -> None:
    """A head that is not there is the nearest one; the reply holds that head's numbers alone."""
    page = opened("attention")
    for at in (None, [99, 99], [-3, 2], ["x", None], "layer", [1], {"layer": 1}, [0, 1, "column"]):
        asked: dict[str, Any] = dict(zip(("layer", "head", "with"), at)) if type(at) is list else {}
        header, _ = answered(page, "attention", "The cat sat", before=at, **asked or {"layer": at})
        (reading,) = header["readings"]
        layer, head, how = reading["said"]["at"]
        assert how in dict(live.WAYS) and 0 <= layer < 99 and 0 <= head < 99
        assert at != [-3, 2] or (layer, head) == (0, 2)
        axes = {f["name"]: f["axes"] for f in reading["fields"]}
        assert axes["attention"] == ["query", "key"]
        assert set(reading["said"]["reach"]) >= {"query", "product", "masked"}
