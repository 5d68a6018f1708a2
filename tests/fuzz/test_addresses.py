"""Addresses of every page with anything behind the question mark, under the names that the pages read.
Each opens without an exception."""

from __future__ import annotations

import re
from functools import cache

import pytest
import streamlit as st_app
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from engine.course import rooms
from engine.course.curriculum import LESSONS
from engine.frame.part import Asking
from engine.runs.store import RunStore
from pages.ui import address
from tests.conftest import ROOT
from tests.fuzz.timed import SECONDS, tried

PAGES = [("app.py", "")] + [(f"pages/{item.page}", item.id) for item in LESSONS]
Query = str | list[str]
READ = re.compile(
    r'query_params(?:\.get|\.pop)?[\[(]"(\w+)"|\bkey="(\w+)"|ask\.\w+\(\s*"[^"]*",\s*"(\w+)"'
)
ODD = [
    *"0 -1 1e400 nan inf -inf ٣² <script>alert(1)</script> ../../etc/passwd __proto__".split(),
    *"lstm lstm@3 ngram,lstm,,lstm stories chars true 1,2,3 1-2 layer:1,head:3".split(),
    *("hidden:0:1:*:set:0", "$$\\frac10$$ :red[x] [a](javascript:b)", "the \u202ecat 🏳️‍🌈"),
    *("", "9" * 400, "a\0b", "x" * 3000),
]
FOUND = [
    ("335_moved", "places_word", ""),
    ("525_decoding", "decoding.counts.draw", "inf"),
    ("110_tokenizers", "text", "a\ufffd b"),
    ("120_bag", "rules", "p1e400_k1e400_ainf_b1e400"),
]
VALUES = st.one_of(
    st.sampled_from(ODD),
    st.text(max_size=20),
    st.integers().map(str),
    st.floats().map(str),
    st.sampled_from([*(item.id for item in LESSONS), *(run.id for run in RunStore().all())]),
    st.sampled_from(["de", "en", "xx", "part-1", "part-one-step-by-hand", "a" * 100_000]),
)


@cache
def names() -> list[str]:
    files = [*(ROOT / "pages").rglob("*.py")]
    found = {
        name
        for file in files
        for names in READ.findall(file.read_text(encoding="utf-8"))
        for name in names
        if name
    }
    return sorted(found | {*address.NUMBERS, *address.NAMES, *address.INSPECTED, "text", "edits"})


@cache
def controls(id: str) -> list[str]:
    """The names under which the frame keeps what the controls of a lesson hold."""
    lesson = next((item for item in rooms.lessons() if item.id == id), None)
    asking = [*rooms.parts(id), rooms.head(id), rooms.find_shown(id)] if lesson else []
    return [one.key(id, n) for one in asking if isinstance(one, Asking) for n in one.controls]


@st.composite
def addresses(draw: st.DrawFn) -> tuple[str, dict[str, Query]]:
    """With names that are given several times too."""
    page, id = draw(st.sampled_from(PAGES))
    name = st.sampled_from(names())
    if its := controls(id):
        name |= st.sampled_from(its)
    values = VALUES | st.lists(VALUES, max_size=3)
    return page, draw(st.dictionaries(name, values, min_size=1, max_size=6))


def opens(asked: tuple[str, dict[str, Query]]) -> None:
    page, query = asked
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    at.query_params.update(query)
    if page != "app.py":
        at.switch_page(page)
    at.run()
    assert not at.exception, [(one.message, one.stack_trace) for one in at.exception]


@pytest.mark.parametrize("page, name, value", FOUND)
def test_what_ended_in_an_error(page: str, name: str, value: str) -> None:
    opens((f"pages/{page}.py", {name: value}))


@pytest.mark.slow
@pytest.mark.parametrize("value", ["", "-1", "nan", "9" * 400, "x"])
def test_every_name_at_once(value: str) -> None:
    for page, id in PAGES:
        opens((page, dict.fromkeys([*names(), *controls(id)], value)))


@SECONDS
def test_any_address(seconds: float) -> None:
    assert tried(addresses(), opens, seconds) >= 5
    st_app.cache_resource.clear()


def test_names_are_found() -> None:
    its = {id: controls(id) for _, id in PAGES}
    assert {"run", "text", "layer", "corpus", "training"} <= {*names()}
    assert {"units.responds.unit", "reading.corpus"} <= {*its["units"]}
    assert "cells.cells" in its["cells"] and "study.cut" in its["smoothing"]
    assert len({*names()}.union(*its.values())) > 60
