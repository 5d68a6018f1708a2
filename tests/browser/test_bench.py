"""What the bench `live` counts: a page is at rest when no reply is missing and nothing was sent for
a while; a message that hovering sends fails the page."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from tests.bench import live

# A page whose socket is made of nothing: what it sends is answered when `answer()` is called.
STAND_IN = """
window.WebSocket = class extends EventTarget { send() { this.now = true; } };
window.socket = new WebSocket();
window.answer = () => socket.dispatchEvent(new Event("message"));
"""
CHIPS = """<div class="un"><span class="un-chip" onpointerover="this.classList.add('un-now')">one</span>
<canvas width="90" height="90" style="display: block; background: #eee"></canvas></div>"""


@pytest.fixture
def tab(browser: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setattr(live, "QUIET_SECONDS", 0.3)
    monkeypatch.setattr(live, "LOUDEST_SECONDS", 2.0)
    monkeypatch.setattr(live, "SETTLE_SECONDS", 0.1)
    monkeypatch.setattr(live, "HOVERS", 1)
    page = browser.new_page()
    page.add_init_script(STAND_IN + live.PROBE)
    page.goto(f"data:text/html,{quote(CHIPS)}")
    yield page
    page.close()


def test_a_page_at_rest(tab: Any) -> None:
    assert live.quiet(tab) == 0
    # before the message: a busy computer may be late to say that it went
    begun = time.perf_counter()
    tab.evaluate("() => { socket.send(); answer(); }")
    assert live.quiet(tab) == 1
    assert time.perf_counter() - begun > 0.25, "so long nothing must be sent"


@pytest.mark.slow
def test_a_page_that_waits_for_a_reply_does_not_rest(tab: Any) -> None:
    tab.evaluate("socket.send()")
    with pytest.raises(RuntimeError, match="never stops sending"):
        live.quiet(tab)
    tab.evaluate("answer()")
    assert live.quiet(tab) == 1


def test_hovering_must_not_send(tab: Any) -> None:
    assert live.hovers(tab, "fine").size == "1 tokens, 0 messages sent"
    tab.evaluate(
        "document.querySelector('canvas').onpointermove = () => setTimeout(() => { socket.send(); answer(); }, 50)"
    )
    with pytest.raises(RuntimeError, match=r"hovering sent \d+ messages"):
        live.hovers(tab, "rude")
