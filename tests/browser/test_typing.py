"""Typing: nothing that was typed gets lost.  That every page answers every key:
test_every_page.py."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Live

pytestmark = pytest.mark.browser
Page = Callable[..., Live]


def test_fast_typing_ends_at_the_last_key(page: Page) -> None:
    """Faster than anything can answer: keys are left out on the way, never at the end."""
    live = page("lstm").fill("")
    live.page.keyboard.type("The quick brown fox jumps over the lazy dog.", delay=4)
    live.painted("The quick brown fox jumps over the lazy dog.")
    expect(live.page.locator(".un-status").first).to_contain_text(
        "44 characters", use_inner_text=True
    )


def test_an_input_method_is_left_to_finish_its_word(page: Page) -> None:
    live = page("attention").fill("ab")
    sent = live.page.evaluate("""() => {
          window.sent = 0;
          const send = WebSocket.prototype.send;
          WebSocket.prototype.send = function (...a) { window.sent += 1; return send.apply(this, a); };
          const box = document.querySelector("textarea.un-text");
          box.dispatchEvent(new CompositionEvent("compositionstart", { bubbles: true }));
          for (const part of ["abn", "abni"]) {
            box.value = part;
            box.dispatchEvent(new InputEvent("input", { bubbles: true, isComposing: true }));
          }
          return new Promise((done) => setTimeout(() => done(window.sent), 300));
        }""")
    assert sent == 0
    assert live.page.get_attribute("[data-unrolled]", "data-painted") == "2"
    live.page.evaluate("""() => {
          const box = document.querySelector("textarea.un-text");
          box.value = "ab你";
          box.dispatchEvent(new CompositionEvent("compositionend", { bubbles: true }));
        }""")
    live.painted("ab你")


def test_the_text_comes_along_from_page_to_page_and_back(page: Page) -> None:
    live = page("lstm").fill("taken along")
    menu = live.page.get_by_test_id("stSidebar")
    for title, name in (
        ("Attention", "attention"),
        ("Embeddings", "embeddings"),
        ("Unrolled", "home"),
        ("LSTM gates", "lstm"),
    ):
        menu.locator("details:not([open])").evaluate_all(
            "all => all.forEach((one) => (one.open = true))"
        )
        menu.get_by_role("link", name=title, exact=True).click()
        live.name = name
        live.ready().painted("taken along")
        expect(live.box).to_have_value("taken along")
    live.fill("and more")
    live.page.go_back()
    live.name = "home"
    live.ready()
    expect(live.box).to_have_value("and more")


@pytest.mark.slow
def test_two_tabs_are_two_people(page: Page) -> None:
    ours = page("attention").fill("the first tab")
    theirs = page("attention", beside=ours).fill("the second tab")
    ours.type("!")
    assert ours.numbers()["attention"][1][0] != theirs.numbers()["attention"][1][0]
    theirs.painted("the second tab")
    expect(ours.box).to_have_value("the first tab!")


def test_a_refresh_keeps_the_text(page: Page) -> None:
    live = page("lstm").fill("kept over a refresh")
    live.settled("text=kept+over")
    live.page.reload()
    live.ready().painted("kept over a refresh")


@pytest.mark.slow
def test_an_emptied_box_stays_empty_after_a_refresh(page: Page) -> None:
    live = page("ngrams").fill("")
    live.page.wait_for_function("() => /text=(&|$)/.test(location.search)")
    live.page.reload()
    live.ready().painted("")


def test_a_lost_connection_comes_back_with_what_was_typed_meanwhile(page: Page) -> None:
    live = page("lstm")
    # words of Streamlit and of Chromium on a key that can't be sent
    live.watch.allowed = re.compile("when disconnected from server|CLOSING or CLOSED state")
    # the page is loaded again with a way to reach its socket
    live.page.add_init_script(
        """const Open = WebSocket; window.sockets = [];
        window.WebSocket = class extends Open { constructor(...a) { super(...a); window.sockets.push(this); } };"""
    )
    live.open().fill("before the cut")
    live.page.evaluate("window.sockets.forEach((s) => s.close())")
    live.box.press("End")
    live.page.keyboard.type(", after it")
    live.painted("before the cut, after it")
    live.type("!")


@pytest.mark.slow
def test_clear_and_the_examples(page: Page) -> None:
    live = page("ngrams")
    live.page.get_by_role("button", name="Clear").click()
    live.painted("")
    live.page.get_by_text("Examples", exact=True).click()
    example = live.page.locator(".un-try").first
    text = example.inner_text()
    example.click()
    live.painted(text)
    assert live.page.inner_text(".un-tip")


@pytest.mark.slow
def test_a_page_opens_when_one_reply_overtakes_another_while_its_code_loads(page: Page) -> None:
    """Streamlit then takes the first reply's component down; the page must stay alive, and answer
    keys."""
    live = page("home")
    held: list[Any] = []

    def hold(route: Any) -> None:
        held.append(route)

    live.page.route("**/live.js", hold)
    live.page.goto(f"{live.url}/positions?text=the+old+dog")
    live.page.locator('[data-testid="stMain"]').get_by_text("RoPE", exact=True).first.click()
    live.settled("positions=RoPE")
    live.page.wait_for_function(
        "() => document.querySelector('[data-testid=\"stApp\"]').dataset.testScriptState ==="
        " 'notRunning'"
    )
    for route in held:
        route.continue_()
    live.name = "positions"
    live.ready().type(" bites")
    assert live.page.locator('[data-panel="places"] .un-says').inner_text().startswith("RoPE")


@pytest.mark.slow
def test_what_is_lost_is_sent_again_ever_more_rarely(page: Page) -> None:
    """A slow computer that is asked again and again before it has answered would answer ever
    later."""
    live = page("lstm").fill("a")
    waits = live.page.evaluate("""() => new Promise((done) => {
          const app = document.querySelector(".un").parentElement.unrolledApp, { put } = app, wait = window.setTimeout, waits = [];
          app.put = () => {};
          window.setTimeout = (act, ms) => {
            if (ms < 4000) return wait(act, ms);
            waits.push(ms);
            if (waits.length < 5) return wait(act, 0);
            app.put = put;
            window.setTimeout = (act, ms) => { if (ms >= 4000) waits.push(ms); return wait(act, ms); };
            window.waits = waits;
            done(waits.slice());
            return wait(act, 0); // the last one gets through
          };
          app.setText("ab");
        })""")
    assert waits == [4000, 8000, 16000, 32000, 32000]
    live.painted("ab").type("c")
    assert live.page.evaluate("window.waits.at(-1)") == 4000


@pytest.mark.slow
def test_a_model_that_is_still_opening_leaves_the_picture_before_it_alive(page: Page) -> None:
    """Another model is chosen and takes its time: what is on the screen can be pointed at, and keys
    are heard."""
    live = page("lstm").fill("the cat")
    readers = live.page.evaluate("""() => {
          const app = document.querySelector(".un").parentElement.unrolledApp;
          const header = { page: "lstm", seq: 0, text: "the cat", notes: [], initial: { text: "the cat", selection: {} }, layout: { hash: "opening", readers: [], panels: [] } };
          const json = new TextEncoder().encode(JSON.stringify(header)), data = new Uint8Array(4 + json.length + ((4 - (json.length % 4)) % 4));
          new DataView(data.buffer).setUint32(0, json.length, true);
          data.set(json, 4);
          app.receive({ data, setStateValue: app.put, setTriggerValue: app.trigger });
          app.redraw();
          return app.readers.size;
        }""")
    assert readers == 1
    live.page.locator(".un-chip").nth(2).hover()
    live.type("s")
