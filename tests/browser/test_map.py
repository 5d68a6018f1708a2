"""The course map in a real browser: a search while one types, a click that stays in the session, a
link that opens a part, and a screen of 390 px."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.bench.server import Server

pytestmark = pytest.mark.browser
WIDE = "() => document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"


def test_a_search_leads_to_the_place(tab: Callable[..., Any], server: Server) -> None:
    page = tab(width=390, height=844)
    page.goto(f"{server.url}/map")
    page.get_by_role("link", name="Peephole LSTM").wait_for()
    assert page.evaluate(WIDE) == 0
    page.get_by_label("What are you looking for?").press_sequentially("kneser ney")
    found = page.get_by_role("link", name="Kneser-Ney smoothing")
    page.get_by_text("2 topics, the best").wait_for()
    found.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/smoothing\?panel=part-kneser-ney\b"))
    page.wait_for_selector(".un-arrived", state="attached")


@pytest.mark.slow
def test_a_link_opens_a_part_and_leaves_a_save_menu_shut(
    tab: Callable[..., Any], server: Server
) -> None:
    page = tab(height=800)
    page.goto(f"{server.url}/attention?panel=fold.scale")
    page.wait_for_selector("[class*=st-key-part-].un-arrived")
    page.goto(f"{server.url}/ngrams?panel=ladder")
    panel = page.wait_for_selector('[data-panel="ladder"].un-arrived')
    assert panel.query_selector("details[open]") is None
