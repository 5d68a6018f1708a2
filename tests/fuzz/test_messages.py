"""Messages to live pages with anything in them, under the names that the pages read.  Each gets the
bytes of a reply."""

from __future__ import annotations

import json
import random
import re
import time
from functools import cache
from typing import Any

import streamlit as st_app
from hypothesis import strategies as st

from engine.live import request
from engine.live.session import Session
from tests.conftest import ROOT
from tests.fuzz.while_time import JSON, SECONDS, SHORT, repeated, tried
from tests.pages.test_every_page import PAGES, answered, opened

ASKED = re.compile(r'\.(?:whole|words|true|pair|numbers|part|get)\(\s*"(\w+)"')
TEXTS = st.one_of(
    st.text(max_size=30),
    st.sampled_from(["The king said", "(a (b", "not good\tgood", "a => b", "[MASK] is", "\ud83d"]),
    st.tuples(st.sampled_from(["the ", "x", "\u0301", "🏳️‍🌈"]), st.integers(0, 120)).map(
        lambda pair: pair[0] * pair[1]
    ),
)
SMALL = st.integers(-3, 40)
MOST_SECONDS = 10.0
LARGE = [[*range(3000)], ["x"] * 3000, {str(n): n for n in range(3000)}, [[[[[[[[[[]]]]]]]]]]]


@cache
def names() -> list[str]:
    """What the live pages read of a message, by name."""
    files = [
        *(ROOT / "engine" / "live").rglob("*.py"),
        *(ROOT / "engine" / "lessons").rglob("*.py"),
        *(ROOT / "pages" / "ui").rglob("*.py"),
    ]
    found = {name for file in files for name in ASKED.findall(file.read_text(encoding="utf-8"))}
    return sorted(found | request.KNOWN)


@st.composite
def messages(draw: st.DrawFn) -> dict[str, Any]:
    values = st.one_of(
        SMALL,
        st.lists(SMALL, max_size=4),
        TEXTS,
        JSON,
        st.sampled_from(
            ["hidden:0:1:*:set:0", "attention:0:0:*:*:scale:2", "gate.forget:0:1:set:"]
        ),
        st.dictionaries(st.sampled_from(names()), SMALL | TEXTS | JSON, max_size=3),
    )
    said = draw(
        st.dictionaries(st.sampled_from(names()), values | st.sampled_from(LARGE), max_size=5)
    )
    if draw(st.booleans()):  # what the window reads too
        known = st.sampled_from(["base", "base_start", "start", "next", "whole", "strip"])
        said |= draw(st.dictionaries(known, values, max_size=3))
    text = draw(TEXTS | repeated(1000).map(lambda text: text[:1500]))
    return said | {"text": text, "seq": draw(st.integers(1, 99)), "have": None}


@SECONDS
def test_any_message(seconds: float) -> None:
    pages = list(PAGES)
    if seconds <= SHORT:  # opening all takes minutes
        pages = ["lstm", "bptt", "surgery", "decoding"]
    random.Random(0).shuffle(pages)
    for page in pages:
        at = opened(page)
        answered(at, page, "The king said")
        session = at.session_state["live"]
        assert isinstance(session, Session)

        def is_answered(message: dict[str, Any], session: Session = session) -> None:
            # as it comes over the wire
            sent = json.loads(json.dumps(message | {"have": session.made.stamp}))
            begun = time.thread_time()
            data = session.answer(sent)
            assert time.thread_time() - begun < MOST_SECONDS
            assert data is not None
            length = int.from_bytes(data[:4], "little")
            header = json.loads(data[4 : 4 + length])
            assert header["seq"] == message["seq"]

        try:
            assert tried(messages(), is_answered, seconds, 1 / len(pages)) >= 5
        except BaseException as error:
            error.add_note(f"on the page {page}")
            raise
    st_app.cache_resource.clear()


def test_names_are_found() -> None:
    assert {"edits", "inspect", "strip", "token"} <= set(names())
    assert len(names()) > 30
