"""Streamlit's own fields: half of an emoji closes no socket, and a paste that is too long is no silence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Live

pytestmark = pytest.mark.browser
PASTE = """([field, text]) => {
  field.focus(); field.select();
  document.execCommand("insertText", false, text);
}"""


def paste(box: Any, text: str) -> None:
    box.page.evaluate(PASTE, [box.element_handle(), text])


@pytest.fixture
def field(page: Callable[..., Live]) -> Any:
    """“Find” on Runs, which takes 100 characters."""
    tab = page("ngrams").page
    tab.goto(tab.url.split("/ngrams")[0] + "/runs")
    box = tab.get_by_label("Find", exact=True)
    box.wait_for()
    tab.get_by_text("runs. Tick the circle").wait_for()
    return box


def test_half_of_an_emoji_closes_nothing(field: Any) -> None:
    tab = field.page
    paste(field, "lstm")
    tab.evaluate(
        """(field) => {
          Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, "no \\ud83d run");
          field.dispatchEvent(new Event("input", { bubbles: true }));
        }""",
        field.element_handle(),
    )
    expect(field).to_have_value("no \ufffd run")
    field.press("Enter")
    tab.get_by_text("No run matches.").wait_for()
    field.fill("lstm_small")
    field.press("Enter")
    tab.get_by_text("1 of ").wait_for()  # the socket lives


@pytest.mark.slow
def test_of_a_paste_that_is_too_long_the_beginning_is_taken(field: Any) -> None:
    tab = field.page
    text = "lstm " * 50 + "😀" * 10
    paste(field, text)
    said = tab.get_by_text("This field takes 100 characters")
    said.wait_for()
    expect(said).to_contain_text("the text has 270", use_inner_text=True)
    expect(field).to_have_value(text[:100])
    field.press("Enter")
    field.fill("lstm_small")
    assert said.is_hidden()
    paste(field, "a" * 99 + "😀")  # is cut in two at the hundredth
    said.wait_for()
    expect(field).to_have_value("a" * 99)
