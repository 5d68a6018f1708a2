"""The course map in a real browser: a search while one types, a click that stays in the session, a
link that opens a part, and a screen of 390 px."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.bench.server import Server
from tests.browser.conftest import WAIT_MS, Watch

pytestmark = pytest.mark.browser
WIDE = "() => document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"
HIGHEST = 200  # pixels from the top of the window


def test_a_search_leads_to_the_place(browser: Any, server: Server) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    watch, page = Watch(context), context.new_page()
    page.set_default_timeout(WAIT_MS)
    page.goto(f"{server.url}/map")
    page.get_by_role("link", name="Peephole LSTM").wait_for()
    assert page.evaluate(WIDE) == 0
    page.get_by_label("What are you looking for?").press_sequentially("kneser ney")
    found = page.get_by_role("link", name="Kneser-Ney smoothing")
    page.get_by_text("2 topics, the best").wait_for()
    found.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/smoothing\?panel=francisco\b"))
    page.wait_for_selector("#francisco.un-arrived", state="attached")
    page.wait_for_function(
        f"() => Math.abs(document.getElementById('francisco').getBoundingClientRect().top) < {HIGHEST}"
    )
    assert not watch.wrong, watch.wrong
    context.close()


def test_a_link_opens_a_part_and_leaves_a_save_menu_shut(browser: Any, server: Server) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    watch, page = Watch(context), context.new_page()
    page.set_default_timeout(WAIT_MS)
    page.goto(f"{server.url}/attention?panel=fold.scale")
    page.wait_for_selector(".st-key-fold-scale.un-arrived details[open]")
    page.goto(f"{server.url}/ngrams?panel=ladder")
    panel = page.wait_for_selector('[data-panel="ladder"].un-arrived')
    assert panel.query_selector("details[open]") is None
    assert not watch.wrong, watch.wrong
    context.close()
