"""Looking and choosing: by pointer, by keyboard, and again from the address."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.bench.server import serve
from engine.runs import Run, RunStore
from tests.browser.conftest import TRIED, Live, Watch

pytestmark = pytest.mark.browser
Page = Callable[..., Live]
TEXT = "The king said yes to Paris"
TEXTS = {"translation": "The king\nsaid yes to Paris"}  # the tokens are those of the second line
# Nothing was sent for a while.
QUIET = """() => {
  if (window.sent !== window.sentBefore) Object.assign(window, { sentBefore: window.sent, quietSince: performance.now() });
  return performance.now() - window.quietSince > 1500;
}"""
COUNT_SENT = """() => { window.sent = 0; const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (...a) { window.sent += 1; return send.apply(this, a); }; }"""


def titles(live: Live) -> list[str]:
    return [t.inner_text() for t in live.page.locator(".un-title").all()]


@pytest.mark.parametrize("name", [name for name in TRIED if name != "home"])
def test_a_link_brings_back_what_was_looked_at(page: Page, name: str) -> None:
    text = TEXTS.get(name, TEXT)
    live = page(name).fill(text)
    live.page.locator(".un-chip").nth(2).click()
    url = live.settled("token=2")
    if name == "lstm":
        live.click_in("gates", 0.5, 0.15)  # the candidate, or a neighbour of it, of layer 1
        url = live.settled("layer=0")
        assert live.kept()["field"] in ("gate.forget", "candidate", "gate.output") and int(live.kept()["unit"]) >= 0
    if name == "attention":
        live.click_in("chain", 0.4, 0.1)
        url = live.settled("field=query")
        assert int(live.kept()["unit"]) >= 0
    live.page.wait_for_timeout(600)
    before, kept, said, url = live.numbers(), live.kept(), titles(live), live.page.url
    again = page(name, query=kept)
    again.painted(text)
    again.page.wait_for_timeout(600)
    assert again.kept() == kept
    assert titles(again) == said
    assert again.page.url == url
    assert again.page.locator(".un-chip.un-kept").count() == 1
    for field, (_, labels, values) in again.numbers().items():
        assert labels == before[field][1]
        np.testing.assert_allclose(values, before[field][2], atol=1e-5, rtol=1e-4, err_msg=field)


@pytest.mark.parametrize("name", TRIED)
def test_by_pointer_nobody_is_asked_and_by_keyboard_all_is_reached(page: Page, name: str) -> None:
    """Pointing redraws in the browser alone.  Tab from the text box reaches the tokens, arrows move, Esc lets go."""
    live = page(name).fill(TEXTS.get(name, TEXT))
    live.page.evaluate(COUNT_SENT)
    live.page.wait_for_function(QUIET)  # the address and the settled charts are done
    live.page.evaluate("window.sent = 0")
    before = titles(live)
    for n in (1, 2, 3):
        live.page.locator(".un-chip").nth(n).hover()
        live.page.wait_for_function("(n) => document.querySelectorAll('.un-chip')[n].className.includes('un-now')", arg=n)
    if name not in ("home", "decoding"):  # what is written next is asked at the end of the text alone
        assert titles(live) != before, "the panels follow the token"
    live.page.mouse.move(2, 2)
    live.page.wait_for_function("() => !document.querySelector('.un-chip.un-kept')")
    assert titles(live) == before
    assert live.page.evaluate("window.sent") == 0

    live.box.focus()
    live.page.keyboard.press("Tab")
    assert live.page.evaluate("document.activeElement.className").startswith("un-chip")
    last = live.page.locator(".un-chip").count() - 1
    live.page.keyboard.press("ArrowLeft")
    live.page.keyboard.press("ArrowLeft")
    kept = "document.querySelector('.un-chip.un-kept')?.dataset.t"
    live.page.wait_for_function(f"{kept} === '{last - 2}'")
    assert live.page.evaluate("document.activeElement.dataset.t") == str(last - 2), "the focus goes along"
    live.page.keyboard.press("ArrowRight")
    live.page.wait_for_function(f"{kept} === '{last - 1}'")
    if name in ("lstm", "attention"):
        axis, model = {"lstm": ("unit", "lstm"), "attention": ("head", "transformer")}[name]
        first = int(live.kept().get(axis, RunStore().find(model).note.get("look", {}).get(axis, 0)))
        live.page.keyboard.press("ArrowDown")
        live.settled(f"{axis}={first + 1}")
    live.page.keyboard.press("Escape")
    live.page.wait_for_function(f"{kept} === undefined")


def test_tab_reaches_every_button_of_the_page(page: Page) -> None:
    live = page("attention").fill("a b c")
    live.box.focus()
    seen = set()
    for _ in range(60):
        live.page.keyboard.press("Tab")
        seen.add(live.page.evaluate("document.activeElement.tagName + ' ' + document.activeElement.textContent.slice(0, 12)"))
    buttons = live.page.evaluate("Array.from(document.querySelectorAll('[data-unrolled] .un-try, .un-tools > button'), (b) => 'BUTTON ' + b.textContent.slice(0, 12))")
    assert set(buttons) <= seen
    assert sum(s.startswith("CANVAS") for s in seen), "a picture can be reached"


def test_moving_through_pictures_shows_the_number_under_the_pointer(page: Page) -> None:
    live = page("lstm").fill(TEXT)
    canvas = live.page.locator('[data-panel="open"] canvas')
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    said = set()
    for share in (0.3, 0.5, 0.7):
        canvas.hover(position={"x": share * box["width"], "y": 0.4 * box["height"]})
        live.page.wait_for_timeout(80)
        said.add(live.page.inner_text('[data-panel="open"] .un-readout'))
    assert len(said) == 3, said


def test_the_chosen_run_stands_in_the_address_by_its_id(browser: Any, run_of: Callable[[str], Run], tmp_path: Path) -> None:
    """Two runs of one title: a picker tells them apart, and a link opens the one that was meant."""
    shutil.copytree(run_of("lstm").folder, tmp_path / "runs" / "a-mine")
    shutil.copytree(run_of("lstm").folder, tmp_path / "runs" / "b-mine")
    with serve(home=tmp_path) as server:
        tab = browser.new_page()
        for id in ("a-mine", "b-mine"):
            live = Live(tab, server.url, "lstm", Watch(tab.context)).open(run=id, text="abc").painted("abc")
            tab.get_by_text("Sources, and how").click()
            tab.get_by_text(f"({id})").wait_for()  # "Model: LSTM (a-mine), trained on ..."
            assert live.kept()["run"] == id and live.kept()["text"] == "abc"
        tab.close()
