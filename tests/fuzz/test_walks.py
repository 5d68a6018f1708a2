"""From page to page in one sitting, with fields changed on the way: what one page leaves in the session,
under whatever name, the next one bears.

A page reads what another wrote under the same name: a text where it expects a number, a run of another
family, a choice it has not got.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
import streamlit as st_app
from hypothesis import strategies as st
from streamlit import config
from streamlit.testing.v1 import AppTest

from tests.conftest import ROOT
from tests.fuzz.test_addresses import PAGES
from tests.fuzz.timed import SECONDS, tried

Step = tuple[str, list[tuple[int, float]]]  # a page; which of its fields, and how far along each
STEPS: st.SearchStrategy[list[Step]] = st.lists(
    st.tuples(
        st.sampled_from([page for page, _ in PAGES]),
        st.lists(st.tuples(st.integers(0, 30), st.floats(0, 1)), max_size=2),
    ),
    min_size=2,
    max_size=8,
)
# said by AppTest alone: in a browser, Streamlit frees the names of the page that is left
ONLY_HERE = "bound to a widget"
SHOWN = "client.showErrorDetails"
WORDS = ("", "old man", "zzz", "3", "-1", "the captain looked at the sea\nand the sea looked back")


def change(at: AppTest, which: int, along: float) -> None:
    """Give one of the fields on the page another value that it offers."""
    chosen = (*at.selectbox, *at.radio, *at.select_slider, *at.get("button_group"))
    numbers = (*at.slider, *at.number_input)
    switches, written = (*at.toggle, *at.checkbox), (*at.text_input, *at.text_area)
    fields: list[Any] = [*chosen, *numbers, *switches, *written]
    fields = [field for field in fields if not field.disabled]
    if not fields:
        return
    field = fields[which % len(fields)]
    if field in switches:
        field.set_value(along > 0.5)
    elif field in written:
        field.set_value(WORDS[int(along * (len(WORDS) - 1))][: field.max_chars or None])
    elif field in chosen:
        if field.options:
            option = field.options[int(along * (len(field.options) - 1))]
            option = getattr(option, "content", option)
            field.set_value([option] if isinstance(field.value, list) else option)
    else:
        low, high = field.min or 0, field.max or 100
        value = low + along * (high - low)
        value = type(low)(value) if isinstance(low, int | float) else low
        field.set_value((low, value) if isinstance(field.value, tuple | list) else value)


def bears(steps: list[Step]) -> None:
    at = arrived()
    for page, changes in steps:
        if page != "app.py":
            at.switch_page(page)
        check(at.run())
        for which, along in changes:
            change(at, which, along)
            check(at.run())


def bears_what_can_be_sent(steps: list[Step]) -> None:
    """AppTest can't send a choice that was typed, nor one whose words are not its value.  What a page
    raises it does not raise, but shows."""
    with contextlib.suppress(ValueError):
        bears(steps)


def arrived() -> AppTest:
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)


def check(at: AppTest) -> None:
    wrong = [one for one in at.exception if ONLY_HERE not in one.message]
    assert not wrong, "\n".join(f"{one.message}\n{chr(10).join(one.stack_trace)}" for one in wrong)


@pytest.fixture(autouse=True)
def said_in_full() -> Iterator[None]:
    before = config.get_option(SHOWN)
    config.set_option(SHOWN, "full")
    yield
    config.set_option(SHOWN, before)


def part(at: AppTest, name: str) -> None:
    choice = next(group for group in at.get("button_group") if name in group.options)
    check(choice.set_value(name).run())


def test_what_ended_in_an_error() -> None:
    at = arrived()
    at.switch_page("pages/210_smoothing.py").run()
    at.slider(key="smoothing.k").set_value(0.01).run()
    at.switch_page("pages/240_hmm.py").run()
    part(at, "How many numbers")
    assert at.slider(key="hmm.sizes.k").value >= 2
    at.switch_page("pages/607_optimisers.py").run()
    part(at, "Label smoothing")
    check(at.slider(key="optimisers.smoothing.epsilon").set_value(1.0).run())


def test_a_switch_is_no_text_on_another_page() -> None:
    at = arrived()
    at.switch_page("pages/210_smoothing.py").run()
    for page in ("005_map", "215_scoring", "210_smoothing"):
        at.switch_page(f"pages/{page}.py")
        check(at.run())


@pytest.mark.slow
@SECONDS
def test_any_walk(seconds: float) -> None:
    assert tried(STEPS, bears_what_can_be_sent, seconds) >= 5
    st_app.cache_resource.clear()
