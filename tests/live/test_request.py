"""A message is read once, whatever is in it; and what the browser reads of a reply is what reply.py
describes."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.live import reply, request
from engine.live.request import Asks, Base, Request
from tests.conftest import ROOT

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)
NAMES = st.sampled_from([*sorted(request.KNOWN), "edits", "at"])
LIVE = ROOT / "assets" / "live"


def test_a_message_becomes_a_request() -> None:
    message = {"text": "the cat", "seq": 12_000_000_003, "have": "abc", "base": "the ca"}
    message |= {"base_start": 0, "start": None, "next": "dog", "whole": 3, "strip": [0, 5]}
    message |= {"edits": "hidden:0:1:*:set:0"}
    found = Request.read(message, 100)
    assert found == Request(
        "the cat", 12_000_000_003, "abc", Base("the ca", 0), None, "dog", 3, (0, 5), found.asks
    )
    assert dict(found.asks) == {"edits": "hidden:0:1:*:set:0"}
    assert found.known("abc") is found
    assert found.known("of another layout").base is None


@given(st.dictionaries(NAMES, JSON) | JSON)
def test_any_message_is_read(message: Any) -> None:
    found = Request.read(message, 5)
    assert isinstance(found.text, str) and len(found.text) <= 5
    assert type(found.seq) is int and isinstance(found.next, str) and len(found.next) <= 60
    assert found.have is None or (isinstance(found.have, str) and found.have)
    assert found.base is None or len(found.base.text) <= 5
    for number in (found.start, found.whole, found.base and found.base.start):
        assert number is None or (type(number) is int and abs(number) <= 2**53)
    assert found.strip is None or [type(n) for n in found.strip] == [int, int]
    assert not request.KNOWN & set(found.asks)


@given(JSON)
def test_any_ask_is_read_as_what_it_has_to_be(value: Any) -> None:
    asks = Asks({"it": value})
    assert asks.whole("it") is None or type(asks.whole("it")) is int
    assert isinstance(asks.words("it"), str) and isinstance(asks.true("it"), bool)
    assert asks.pair("it") is None or len(asks.pair("it") or ()) == 2
    assert asks.part("it") is None or isinstance(value, dict)


@given(
    st.dictionaries(
        st.sampled_from(["id", "text", "selection", "dark", "svg", "table", "more"]), JSON
    )
    | JSON
)
def test_any_wish_for_a_file_is_read(wish: Any) -> None:
    found = request.save(wish, 5)
    assert (found is None) == (not isinstance(wish, dict) or not wish)
    if found is not None:
        assert isinstance(found["selection"], dict) and len(found["text"]) <= 5
        assert found["dark"] in (True, False) and isinstance(found["panel"], str)
        assert isinstance(found["svg"], str) and "more" not in found
        assert all(isinstance(cell, str) for row in found["table"]["rows"] for cell in row)


@pytest.mark.parametrize(
    ("strip", "read"),
    [([2, 5], (2, 5)), ([5, 5], (5, 9)), ("x", (0, 9)), ([None, 2], (0, 9)), ([], None)],
)
def test_the_characters_of_the_strip(strip: Any, read: tuple[int, int] | None) -> None:
    assert Request.read({"text": "123456789", "strip": strip}, 100).strip == read


@pytest.mark.parametrize(
    ("file", "name", "described"),
    [
        *(("live.js", "header", reply.Header), ("wire.js", "part", reply.FieldPart)),
        *((file, "reading", reply.ReadingPart) for file in ("live.js", "wire.js")),
        ("band.js", "strip", reply.Strip),
    ],
)
def test_the_browser_reads_what_is_described(file: str, name: str, described: Any) -> None:
    """A key that the JavaScript reads and reply.py does not know is a mistake on one side."""
    code = (LIVE / file).read_text(encoding="utf-8")
    read = set(re.findall(rf"\b{name}\.(\w+)", code))
    assert read and read <= set(described.__annotations__) | {"of", "map", "length"}
