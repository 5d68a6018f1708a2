"""The stage of a declared live part: what is derived comes with every reply, made of what is asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.lessons.hmm import live
from engine.live import declared, wire
from engine.live.request import Asks, Request
from engine.live.session import Made
from engine.live.stage import Opening
from engine.runs.store import RunStore

TEXT = "You can open the door"


@pytest.fixture(scope="module")
def made() -> Made:
    run = RunStore().find("hmm_tagger")
    return Made.of(Opening("hmm", TEXT, ()), declared.stage(live.LIVE, run, "hmm"))


def answered(
    made: Made, text: str, base: str | None = None, **more: Any
) -> tuple[Any, dict[str, Any]]:
    """(the reader's part of a reply, its fields by name)."""
    asks = {name: value for name, value in more.items() if name != "link"}
    message = {"text": text, "seq": 1, "have": made.stamp, "base": base, **asks}
    request = Request.read(message, 1000)
    if "link" in more:
        request = Request(text, have=None, link=Asks(more["link"]))
    reply = made.reply(request, {"page": "hmm", "seq": 1, "text": text, "notes": []})
    header, numbers = wire.unpack(wire.pack(reply))
    (part,) = header["readings"]
    fields = {}
    for one in part["fields"]:
        for n, name in enumerate(one.get("names", [one["name"]])):
            at = one["at"] + n * one["count"]
            fields[name] = one["keep"], numbers[at : at + one["count"]]
    return part, fields


def test_what_is_derived_comes_whole_beside_what_grows(made: Made) -> None:
    model: Any = made.stage.readers[0][0].model
    trace = model.trace(f"{TEXT} now")
    expected = live.derive(model, trace, {})
    part, fields = answered(made, f"{TEXT} now", TEXT)
    assert part["labels"] == ["now"] and fields["filter"][0] == 6
    for name, (axes, values) in expected.items():
        if axes:
            keep, found = fields[name]
            assert keep == 0
            np.testing.assert_allclose(found, np.ravel(values), rtol=1e-6)
        else:
            assert part["said"]["numbers"][name] == pytest.approx(float(values))


def test_a_click_is_answered_with_what_depends_on_it(made: Made) -> None:
    _, before = answered(made, TEXT)
    part, after = answered(made, TEXT, TEXT, picks=[[3, 8, "open"]], **{"with": "VERB"})
    assert not part["labels"] and part["said"]["numbers"]["bent"] == 1
    assert after["own"][1].tolist() == [*before["own"][1][:3], 8, *before["own"][1][4:]]
    assert (after["apart.unread"][1] != before["apart.unread"][1]).any()
    _, other = answered(made, TEXT, TEXT, picks=[[3, 8, "close"]])
    np.testing.assert_array_equal(other["own"][1], before["own"][1])


def test_a_link_is_read_before_the_browser_says_anything(made: Made) -> None:
    part, fields = answered(made, TEXT, link={"picks": "3:8", "with": "VERB"})
    assert part["said"]["numbers"]["bent"] == 1 and fields["own"][1][3] == 8


@pytest.mark.parametrize("text", ["", " ", "\n"])
def test_nothing_is_derived_of_nothing(made: Made, text: str) -> None:
    part, fields = answered(made, text)
    assert part["labels"] or not fields
