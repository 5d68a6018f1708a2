"""The page's own socket: keys go over it, and where none can be had they go through Streamlit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.bench.server import serve
from tests.browser.conftest import WAIT_MS, Live

pytestmark = pytest.mark.browser
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


def test_keys_go_over_the_socket_of_the_page(page: Page) -> None:
    live = page("ngrams").fill("the ki")
    live.page.evaluate(COUNT)
    live.type("ngs")
    assert live.page.evaluate("window.sentOver") == {"own": 3, "script": 0}


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


def test_a_page_whose_socket_is_lost_goes_on(page: Page) -> None:
    live = page("ngrams").fill("the ki")
    live.page.evaluate(LOSE)
    live.type("ngs")
    assert live.numbers()["probability"][2].sum() > 0


@pytest.mark.slow
def test_another_model_keeps_the_text_that_went_over_the_socket(page: Page) -> None:
    live = page("lstm").fill("the king said")
    units = len(live.numbers()["hidden"][1][2])
    live.page.get_by_role("combobox", name="Model", exact=True).click()
    live.page.get_by_role("option", name="Small LSTM").first.click()
    live.settled("run=lstm_small")
    live.page.wait_for_function(
        f"""() => {{
          const {{ text, fields }} = document.querySelector("[data-unrolled]")?.unrolled ?? {{}};
          return text === "the king said" && fields.hidden?.labels[2].length !== {units};
        }}"""
    )
    expect(live.box).to_have_value("the king said")
    live.type(" no")
