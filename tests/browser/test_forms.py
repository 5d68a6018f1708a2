"""Pages whose pictures are settled figures: one line of controls, then the picture, nothing beyond the
screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.bench.server import Server

pytestmark = pytest.mark.browser
LATEST = {"variants": 295}  # it has two lines of controls
USUAL = 262  # pixels above the first picture at 1280 x 900
FORMS = "smoothing scoring sparsity generation size variants word2vec pieces moved".split()
SOME = ("smoothing", "variants", "word2vec")  # the others with `make bench`
PICTURE = '[data-testid="stVegaLiteChart"]'
WIDE = """() => [document.scrollingElement, document.querySelector('[data-testid="stMain"]')].map((e) => e.scrollWidth - e.clientWidth)"""


@pytest.mark.parametrize(
    "name", [n if n in SOME else pytest.param(n, marks=pytest.mark.slow) for n in FORMS]
)
def test_the_picture_comes_first(tab: Callable[..., Any], server: Server, name: str) -> None:
    page = tab()
    page.goto(f"{server.url}/{name}")
    page.locator(f"{PICTURE} :is(svg, canvas)").first.wait_for()
    page.wait_for_function(
        f"""(most) => document.querySelector('{PICTURE}').getBoundingClientRect().top <= most""",
        arg=LATEST.get(name, USUAL),
    )
    assert page.evaluate(WIDE) == [0, 0]


@pytest.mark.parametrize("name", ["smoothing", "generation", "cures"])
def test_the_picture_is_in_the_upper_two_thirds_of_a_phone(
    tab: Callable[..., Any], server: Server, name: str
) -> None:
    page = tab(width=390, height=844)
    page.goto(f"{server.url}/{name}")
    page.locator(f"{PICTURE} :is(svg, canvas)").first.wait_for()
    page.wait_for_function(
        f"""() => document.querySelector('{PICTURE}').getBoundingClientRect().top <= 0.65 * 844"""
    )


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
    covered = page.locator(".st-key-surprisal-tabs.un-covered.un-pointed")
    covered.wait_for(state="attached")
    expect(covered.get_by_text("Surprisal of each token")).not_to_be_visible()
    assert box.input_value() == "the cat saw the dog" != before
    strip = page.locator(".un-minute")
    strip.get_by_role("button", name="saw", exact=True).click()
    covered.wait_for(state="detached")
    expect(strip.get_by_text("Your guess: saw.")).to_be_visible()
    strip.get_by_role("button", name="Next", exact=True).click()
    page.wait_for_function("location.search.includes('step=2')")
    page.locator(".st-key-part-number.un-pointed").wait_for()
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
