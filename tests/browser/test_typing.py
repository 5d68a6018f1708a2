"""Typing: nothing that was typed gets lost, whatever becomes of the page, its socket and its models.
That every page answers every key: test_every_page.py."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.bench.server import Server, serve
from tests.browser.conftest import WAIT_MS, Live

Page = Callable[..., Live]
# How many messages went over which socket since this was asked first.
COUNT = """() => {
  const sent = (window.sentOver ??= { own: 0, script: 0 });
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (...a) {
    sent[this.url.includes("/live/") ? "own" : "script"] += 1;
    return send.apply(this, a);
  };
}"""
# The next message over the page's own socket is lost with its connection, and no other opens.
LOSE = """() => {
  const send = WebSocket.prototype.send, Real = window.WebSocket;
  Real.prototype.send = function (...a) {
    return this.url.includes("/live/") ? this.close() : send.apply(this, a);
  };
}"""
QUICK = "The quick brown fox jumps over the lazy dog."


def test_fast_typing_ends_at_the_last_key_and_stays(page: Page) -> None:
    """Faster than anything can answer: keys are left out on the way, never at the end."""
    live = page("lstm").fill("")
    live.page.keyboard.type(QUICK, delay=4)
    live.painted(QUICK)
    expect(live.page.locator(".un-status").first).to_contain_text("44 characters")

    # an input method is left to finish its word
    live.fill("ab").alone()
    live.page.evaluate("""() => {
          const box = document.querySelector("textarea.un-text");
          box.dispatchEvent(new CompositionEvent("compositionstart", { bubbles: true }));
          for (const part of ["abn", "abni"]) {
            box.value = part;
            box.dispatchEvent(new InputEvent("input", { bubbles: true, isComposing: true }));
          }
          return new Promise((done) => setTimeout(done, 300));
        }""")
    assert live.sent == 0
    assert live.page.get_attribute("[data-unrolled]", "data-painted") == "2"
    live.page.evaluate("""() => {
          const box = document.querySelector("textarea.un-text");
          box.value = "ab你";
          box.dispatchEvent(new CompositionEvent("compositionend", { bubbles: true }));
        }""")
    live.painted("ab你")

    # keys go over the page's own socket, and where that is lost through Streamlit's
    live.page.evaluate(COUNT)
    live.fill("the ki").type("ngs")
    assert live.page.evaluate("window.sentOver") == {"own": 4, "script": 0}
    live.page.evaluate(LOSE)
    live.type(" s")
    assert live.numbers()["probability"][2].sum() > 0

    # a refresh keeps the text
    live.settled("text=the+kings+s")
    live.page.reload()
    live.ready().painted("the kings s")


@pytest.mark.slow
def test_the_text_comes_along_from_page_to_page_and_back(page: Page) -> None:
    live = page("ngrams").fill("taken along")
    live.page.get_by_test_id("stSidebar").get_by_role("link", name="Unrolled", exact=True).click()
    live.name = "home"
    live.ready().painted("taken along")
    expect(live.box).to_have_value("taken along")
    live.fill("and more")
    live.page.go_back()
    live.name = "ngrams"
    live.ready()
    expect(live.box).to_have_value("and more")
    # two tabs are two people
    theirs = page("ngrams", beside=live).fill("the second tab")
    live.fill("the first tab").type("!")
    theirs.painted("the second tab")
    expect(live.box).to_have_value("the first tab!")


def test_a_lost_connection_comes_back_with_what_was_typed_meanwhile(
    watched: Callable[..., Any], server: Server
) -> None:
    tab, watch = watched()
    live = Live(tab, server.url, "ngrams", watch)
    # words of Streamlit and of Chromium on a key that can't be sent
    live.watch.allowed = re.compile("when disconnected from server|CLOSING or CLOSED state")
    # a way to reach the page's sockets
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
def test_below_a_path_all_is_below_it(browser: Any) -> None:
    """As behind a proxy that passes on /name and nothing else."""
    with serve(base="/name") as server:
        asked: list[str] = []
        page = browser.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("websocket", lambda line: asked.append(line.url.replace("ws:", "http:")))
        page.goto(f"{server.url}/ngrams")
        page.wait_for_selector('[data-unrolled="ngrams"][data-painted]', timeout=WAIT_MS)
        page.evaluate(COUNT)
        page.locator("textarea.un-text").fill("the")
        page.wait_for_selector('[data-painted="3"]', timeout=WAIT_MS)
        assert page.evaluate("window.sentOver") == {"own": 1, "script": 0}
        page.close()
    own = [url for url in asked if "/assets/" in url or "/live/" in url]
    assert len(own) > 20
    assert not [url for url in own if not url.startswith(f"{server.url}/")]


@pytest.mark.slow
def test_cleared_chosen_from_examples_and_too_long_for_a_link(page: Page) -> None:
    live = page("ngrams")
    live.page.get_by_role("button", name="Clear").click()
    live.painted("")
    said = live.panel("next").inner_text()
    assert "at the start of the text" in said and "“”" not in said and "The 0" not in said
    live.page.wait_for_function("() => /text=(&|$)/.test(location.search)")
    live.page.reload()
    live.ready().painted("")  # and stays empty
    example = live.page.locator(".un-try").first
    expect(example).not_to_be_visible()
    live.page.get_by_text("Examples", exact=True).click()
    text = example.inner_text()
    example.click()
    expect(example).not_to_be_visible()
    live.painted(text)
    assert live.page.inner_text(".un-tip")

    text = "the king was here and the queen too. " * 80
    live.fill(text)
    live.page.locator(".un-tip", has_text="not part of a link").wait_for()
    assert "text=" not in live.page.url
    live.page.reload()
    live.page.wait_for_selector(f'.un[data-painted="{len(text)}"]')
    expect(live.box).to_have_value(text)
    # the box grows with its text, up to a bound
    live.fill("one line").settled("text=one+line")
    assert not live.page.inner_text(".un-tip")
    one = live.box.bounding_box()["height"]
    for text, least, most in (
        ("one line\nand another\nand a third", 1.7 * one, 120),
        ("\n".join(["a line"] * 40), 1.7 * one, 120),
        ("one line", one, one + 0.1),
    ):
        assert least <= live.fill(text).box.bounding_box()["height"] < most


@pytest.mark.slow
def test_a_page_opens_when_one_reply_overtakes_another_while_its_code_loads(page: Page) -> None:
    """Streamlit then takes the first reply's component down; the page must stay alive, and answer
    keys."""
    live = page("home")
    held: list[Any] = []

    def hold(route: Any) -> None:  # a method of a list takes no mark, which playwright puts on it
        held.append(route)

    live.page.route("**/live.js", hold)
    live.page.goto(f"{live.url}/positions?text=the+old+dog")
    live.page.locator('[data-testid="stMain"]').get_by_text("RoPE", exact=True).first.click()
    live.settled("positions=RoPE")
    live.page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')
    for route in held:
        route.continue_()
    live.name = "positions"
    live.ready().type(" bites")
    live.says("places", re.compile("^RoPE"), ".un-says")


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

    # a model that is still opening leaves the picture before it alive: it can be pointed at, and keys
    # are heard
    readers = live.page.evaluate("""() => {
          const app = document.querySelector(".un").parentElement.unrolledApp;
          const header = { page: "lstm", seq: 0, text: "abc", notes: [], initial: { text: "abc", selection: {} }, layout: { hash: "opening", readers: [], panels: [] } };
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
