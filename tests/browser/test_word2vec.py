"""The word2vec page in a real browser: an example's numbers, a step that the address keeps, and
nothing beyond a narrow screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from engine.nn.word2vec import toy
from engine.nn.word2vec.single import update
from engine.nn.word2vec.toy import Setting, Text
from engine.views import base
from tests.bench.server import Server

pytestmark = pytest.mark.browser
WIDE = """() => [document.scrollingElement, document.querySelector('[data-testid="stMain"]')].map((e) => e.scrollWidth - e.clientWidth)"""

# whether the charts, which come one by one, have all of these words
DRAWN = """(parts) => {
  const drawn = [...document.querySelectorAll('[data-testid="stVegaLiteChart"] svg')].map((svg) => svg.textContent);
  return parts.every((part) => drawn.join(" ").includes(part));
}"""


def test_a_step_is_done_and_the_address_keeps_it(tab: Callable[..., Any], server: Server) -> None:
    page = tab(width=390)
    page.goto(f"{server.url}/word2vec")
    page.get_by_role("button", name="Examples").click()
    page.get_by_role("button", name="Negative sampling by hand").click()
    page.get_by_text("2.226559").wait_for()
    page.keyboard.press("Escape")
    text, setting = (
        Text((tuple("cat dog sat mat".split()),)),
        Setting(output="negative", window=1, seed=1, worked=True),
    )
    tables, _ = toy.updates(text, setting, toy.start(text, setting), 1)
    asked = toy.ask(text, setting, 1, 1)
    assert asked is not None
    done = update(*tables, asked)
    page.get_by_role("button", name="One step", exact=True).click()
    page.get_by_text(f"{done.loss:.6f}").first.wait_for()
    page.wait_for_function("() => location.search.includes('w2v_done=1')")
    page.goto(page.url)  # as a link that somebody was sent
    page.get_by_text(f"{done.loss:.6f}").first.wait_for()
    shown = [
        base.number(float(chance), True)
        for chance in toy.chances(tables[1], done.h_D, setting, text)
    ]
    page.wait_for_function(DRAWN, arg=[*text.words, *shown])
    x, y = np.char.replace(np.char.mod("%.4f", done.h_D), "-", "−")
    expect(page.locator('[data-testid="stMain"]')).to_contain_text(
        f"h = ({x}, {y})", use_inner_text=True
    )
    assert page.evaluate(WIDE) == [0, 0]
