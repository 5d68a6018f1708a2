"""Streamlit's own fields: half of an emoji closes no socket, and a paste that is too long is no silence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from tests.bench.server import Server

PASTE = """([field, text]) => {
  field.focus(); field.select();
  document.execCommand("insertText", false, text);
}"""


def paste(box: Any, text: str) -> None:
    box.page.evaluate(PASTE, [box.element_handle(), text])


def test_half_of_an_emoji_closes_nothing_and_a_paste_that_is_too_long_is_said(
    tab: Callable[..., Any], server: Server
) -> None:
    """“Find” on Runs takes 100 characters."""
    page = tab()
    page.goto(f"{server.url}/runs")
    field = page.get_by_label("Find", exact=True)
    field.wait_for()
    page.get_by_text("runs. Tick the circle").wait_for()
    paste(field, "lstm")
    field.evaluate(
        """(field) => {
          Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, "no \\ud83d run");
          field.dispatchEvent(new Event("input", { bubbles: true }));
        }"""
    )
    expect(field).to_have_value("no \ufffd run")
    field.press("Enter")
    page.get_by_text("No run matches.").wait_for()
    field.fill("lstm_small")
    field.press("Enter")
    page.get_by_text("1 of ").wait_for()  # the socket lives

    text = "lstm " * 50 + "😀" * 10
    paste(field, text)
    said = page.get_by_text("This field takes 100 characters")
    expect(said).to_contain_text("the text has 270", use_inner_text=True)
    expect(field).to_have_value(text[:100])  # of a paste that is too long the beginning is taken
    field.press("Enter")
    field.fill("lstm_small")
    expect(said).to_be_hidden()
    paste(field, "a" * 99 + "😀")  # is cut in two at the hundredth
    said.wait_for()
    expect(field).to_have_value("a" * 99)
