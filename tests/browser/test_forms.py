"""Pages whose pictures are settled figures: one line of controls, then the picture, nothing beyond the
screen."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import TimeoutError, expect

from tests.bench.server import Server
from tests.browser.conftest import WIDE, Live, rested, soon

USUAL = 262  # pixels above the first picture at 1280 x 900
FORMS = "smoothing scoring sparsity word2vec pieces moved".split()
PHONE = ("smoothing", "cures")  # there it is in the upper two thirds of the screen
OTHERS = ("cures", "cells")  # which no other test opens
PICTURE = '[data-testid="stVegaLiteChart"]'
TOP = f"document.querySelector('{PICTURE}').getBoundingClientRect().top"


ALL = pytest.param((*FORMS, *OTHERS), id="all", marks=pytest.mark.slow)


@pytest.mark.parametrize("names", [pytest.param(PHONE, id="some", marks=pytest.mark.slow), ALL])
def test_the_picture_comes_first(
    tab: Callable[..., Any], server: Server, names: tuple[str, ...]
) -> None:
    """One tab walks through them."""
    page = tab()
    late: dict[str, Any] = {}

    def comes(name: str, most: float) -> None:
        page.locator(f"{PICTURE} :is(svg, canvas)").first.wait_for()
        try:
            page.wait_for_function(f"(most) => {TOP} <= most", arg=most)
        except TimeoutError:
            late[name] = page.evaluate(TOP)

    for name in names:
        page.set_viewport_size({"width": 1280, "height": 900})
        page.goto(f"{server.url}/{name}")
        page.locator(".st-key-head h2").wait_for()
        if name in FORMS:
            comes(name, USUAL)
        else:
            rested(page)
        if (wide := page.evaluate(WIDE)) != [0, 0]:
            late[f"{name} is too wide"] = wide
        if name in PHONE:
            page.set_viewport_size({"width": 390, "height": 844})
            comes(f"{name} on a phone", 0.65 * 844)
    assert not late


def test_the_first_minute_sets_covers_and_gives_back(
    tab: Callable[..., Any], server: Server
) -> None:
    page = tab()
    page.goto(f"{server.url}/scoring")
    box = page.get_by_label("Sentences to score, one per line")
    # it is drawn before what stands in it
    page.wait_for_function("document.querySelector('[data-testid=stTextArea] textarea')?.value")
    before = box.input_value()
    page.get_by_role("button", name="First minute", exact=True).click()
    page.wait_for_function("location.search.includes('step=1')")
    covered = page.locator(".st-key-scoring-number-surprisal-tabs.un-covered.un-pointed")
    covered.wait_for(state="attached")
    expect(covered.get_by_text("Surprisal of each token")).not_to_be_visible()
    assert box.input_value() == "the cat saw the dog" != before
    strip = page.locator(".un-minute")
    strip.get_by_role("button", name="saw", exact=True).click()
    covered.wait_for(state="detached")
    expect(strip.get_by_text("Your guess: saw.")).to_be_visible()
    strip.get_by_role("button", name="Next", exact=True).click()
    page.wait_for_function("location.search.includes('step=2')")
    page.locator(".st-key-part-one-number.un-pointed").wait_for()
    strip.get_by_role("button", name="Back", exact=True).click()
    covered.wait_for(state="attached")
    strip.get_by_role("button", name="Back", exact=True).click()
    page.wait_for_function(
        "(text) => document.querySelector('[data-testid=stTextArea] textarea').value === text",
        arg=before,
    )
    page.get_by_role("button", name="First minute", exact=True).wait_for()
    assert "step" not in page.url
    expect(page.locator(".un-pointed")).to_have_count(0)


@pytest.mark.slow
def test_settled_charts_take_the_new_theme_too(tab: Callable[..., Any], server: Server) -> None:
    """The server draws them, so the page asks it to once more, and loses nothing that was chosen."""
    page = tab()
    page.goto(f"{server.url}/corpora?text_part=Lengths")
    chart = page.locator(f"{PICTURE} :is(canvas, svg)").first
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
def test_a_legend_keeps_its_colours_when_the_address_changes(page: Callable[..., Live]) -> None:
    live = page("scores", query={"panel": "fold.filling"})
    shade = live.page.locator('[class*="st-key-part-a-shorter"] .vega-embed [fill*="#gradient"]')
    shade.wait_for()
    live.fill("The small dog saw the black cat")
    live.settled("small+dog")
    live.page.wait_for_timeout(600)
    drawn = Image.open(io.BytesIO(shade.screenshot())).convert("RGB")
    assert len(drawn.getcolors(1 << 16) or ()) > 50
