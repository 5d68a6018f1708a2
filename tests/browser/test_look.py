"""The theme can change under an open page.  That every page fits: test_every_page.py."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from PIL import Image

from tests.bench.server import Server
from tests.browser.conftest import Live, rested, soon

pytestmark = pytest.mark.browser
Page = Callable[..., Live]


def test_the_theme_can_change_while_the_page_is_open(page: Page) -> None:
    live = page("lstm")
    before = live.page.locator('[data-panel="gates"] canvas').screenshot()
    live.page.emulate_media(color_scheme="dark")
    live.page.wait_for_selector(".un-dark")
    canvas = live.page.locator('[data-panel="gates"] canvas')
    soon(live.page, lambda: canvas.screenshot() != before)


@pytest.mark.slow
def test_settled_charts_take_the_new_theme_too(tab: Callable[..., Any], server: Server) -> None:
    """The server draws them, so the page asks it to once more, and loses nothing that was chosen."""
    page = tab()
    page.goto(f"{server.url}/corpora?text_part=Lengths")
    chart = page.locator('[data-testid="stVegaLiteChart"] :is(canvas, svg)').first
    chart.wait_for()
    rested(page)
    light = chart.screenshot()
    page.emulate_media(color_scheme="dark")
    rested(page)

    def drawn() -> bytes:
        found: bytes = chart.screenshot()
        return found if light != found == chart.screenshot() else b""

    dark = soon(page, drawn)
    assert "text_part=Lengths" in page.url
    page.reload()
    chart.wait_for()
    soon(page, lambda: chart.screenshot() == dark)  # as a page that was dark from the beginning


@pytest.mark.slow
def test_a_legend_keeps_its_colours_when_the_address_changes(page: Page) -> None:
    live = page("scores", query={"panel": "fold.filling"})
    shade = live.page.locator('[class*="st-key-part-a-shorter"] .vega-embed [fill*="#gradient"]')
    shade.wait_for()
    live.fill("The small dog saw the black cat")
    live.settled("small+dog")
    live.page.wait_for_timeout(600)
    drawn = Image.open(io.BytesIO(shade.screenshot())).convert("RGB")
    assert len(drawn.getcolors(1 << 16) or ()) > 50
