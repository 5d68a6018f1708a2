"""Looking and choosing by keyboard and pointer, and which run an address means.  What every page
owes: test_every_page.py."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import FRAMES, Live

pytestmark = pytest.mark.browser
Page = Callable[..., Live]
TEXT = "The king said yes to Paris"


def test_tab_reaches_every_button_of_the_page(page: Page) -> None:
    live = page("attention").fill("a b c")
    live.box.focus()
    seen = set()
    for _ in range(60):
        live.page.keyboard.press("Tab")
        seen.add(
            live.page.evaluate(
                "document.activeElement.tagName + ' ' +"
                " document.activeElement.textContent.slice(0, 12)"
            )
        )
    buttons = live.page.evaluate(
        "Array.from(document.querySelectorAll('[data-unrolled] .un-does > button, .un-tools > button'), (b)"
        " => 'BUTTON ' + b.textContent.slice(0, 12))"
    )
    assert set(buttons) <= seen
    assert sum(s.startswith("CANVAS") for s in seen), "a picture can be reached"


@pytest.mark.slow
def test_moving_through_pictures_shows_the_number_under_the_pointer(page: Page) -> None:
    live = page("lstm").fill(TEXT)
    canvas = live.page.locator('[data-panel="open"] canvas')
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    said = set()
    for share in (0.3, 0.5, 0.7):
        canvas.hover(position={"x": share * box["width"], "y": 0.4 * box["height"]})
        live.page.evaluate(FRAMES)
        said.add(live.page.inner_text('[data-panel="open"] .un-readout'))
    assert len(said) == 3, said


@pytest.mark.parametrize(
    ("name", "cut"),
    [
        ("lstm", ["क्षि", "·", "🇩🇪", "·", "ก็"]),
        pytest.param("ngrams", ["నేను", "కలుసుకున్నారు", "🇩🇪", "!"], marks=pytest.mark.slow),
    ],
)
def test_arrows_step_over_a_syllable_and_a_flag_as_one(
    page: Page, name: str, cut: list[str]
) -> None:
    text = "".join(cut).replace("·", " ") if name == "lstm" else " ".join(cut)
    live = page(name).fill(text)
    assert live.page.locator(".un-chip").all_inner_texts()[1:] == cut
    live.page.locator(".un-chip").last.focus()
    for label in reversed(cut[:-1]):
        live.page.keyboard.press("ArrowLeft")
        expect(live.page.locator(".un-chip.un-kept")).to_have_text(label)
    live.page.keyboard.press("ArrowRight")
    expect(live.page.locator(".un-chip.un-kept")).to_have_text(cut[1])


@pytest.mark.slow
def test_the_chosen_run_stands_in_the_address_by_its_id(page: Page) -> None:
    """A link opens the run that was meant; that runs of one title are told apart: test_pages.py."""
    live = page("lstm", query={"text": "abc"}).painted("abc")
    for id in ("lstm_small", "lstm"):
        live.open(run=id, text="abc").painted("abc")
        live.page.get_by_text("Sources, and how").click()
        live.page.get_by_text(f"({id})").wait_for()  # "Model: LSTM (lstm_small), trained on ..."
        assert live.kept()["run"] == id and live.kept()["text"] == "abc"
