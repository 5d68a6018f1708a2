"""The first minute of a page: its steps set the page, ask before they show, and can be undone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from engine.course.first_minute import steps
from tests.browser.conftest import Live

Page = Callable[..., Live]
HIGHEST = 44  # pixels of the strip


def press(live: Live, words: str) -> None:
    live.page.locator(".un-minute button, .un-minute-offer button").get_by_text(
        words, exact=True
    ).or_(live.page.get_by_role("button", name=words, exact=True)).first.click()


def covered(live: Live) -> list[str]:
    found: list[str] = live.page.eval_on_selector_all(
        ".un-covered", "(all) => all.map((panel) => panel.dataset.panel)"
    )
    return found


def pointed(live: Live) -> str:
    return str(live.page.get_attribute(".un-pointed", "data-panel"))


def has_what_it_speaks_of(live: Live, measure: str, latest: float) -> None:
    """A page that is just open offers its first minute: a low strip, about panels that are there."""
    expect(live.page.locator(".un-minute-offer").first).to_be_visible()
    expect(live.page.locator(".un-minute").first).not_to_be_visible()
    press(live, "Start")
    live.painted(steps(live.name)[0].text)
    assert 0 < live.page.evaluate("document.querySelector('.un-minute').offsetHeight") <= HIGHEST
    ids = live.page.eval_on_selector_all(".un-panel", "(all) => all.map((p) => p.dataset.panel)")
    assert {id for step in steps(live.name) for id in (step.panel, *step.covers)} <= set(ids)
    live.page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 0)")
    assert live.page.evaluate(measure)["top"] <= latest
    press(live, "End the first minute")


def test_steps_set_the_page_ask_before_they_show_and_can_be_undone(page: Page) -> None:
    live = page("lstm").fill("My own words")
    says = live.page.locator(".un-minute-says").first
    first, second, counter, asks = steps("lstm")
    live.page.locator(".un-minute-offer button").first.focus()
    live.page.keyboard.press("Enter")
    live.painted(first.text).settled("step=1")
    assert pointed(live) == first.panel
    expect(says).to_have_text(first.says, use_inner_text=True)
    live.settled("unit=69")
    live.settled("text=He+asked")
    kept = live.kept()
    assert kept["text"] == first.text and kept["shown"] == "16"
    live.page.keyboard.press("Enter")  # Next has the focus
    live.settled("step=2")
    assert pointed(live) == second.panel
    live.fill("Typing ends nothing")
    expect(says).to_have_text(second.says, use_inner_text=True)
    press(live, "Next")
    live.painted(counter.text)
    press(live, "Show me")
    expect(says).to_have_text(counter.says, use_inner_text=True)
    press(live, "Next")
    live.painted(asks.text)
    expect(says).to_have_text(asks.asks, use_inner_text=True)
    row = live.panel(asks.panel).locator(".un-row").first
    assert covered(live) == [asks.panel]
    expect(row).not_to_be_visible()
    press(live, asks.choices[1])
    expect(says).to_have_text(f"Your guess: {asks.choices[1]}. {asks.says}", use_inner_text=True)
    assert covered(live) == []
    expect(row).to_be_visible()
    for at in (3, 2, 1):
        press(live, "Back")
        expect(live.page.locator(".un-minute-name").first).to_have_text(
            f"First minute {at} of 4", use_inner_text=True
        )
    press(live, "Back")
    live.painted("My own words")
    expect(live.page.locator(".un-minute").first).not_to_be_visible()
    expect(live.page.locator(".un-minute-offer").first).to_be_visible()
    assert "step" not in live.kept()
    expect(live.page.locator(".un-pointed")).to_have_count(0)


@pytest.mark.slow
def test_each_press_of_back_counts(page: Page) -> None:
    """However quick: the strip stays where it is under the pointer, and a panel comes later."""
    live = page("lstm", query={"step": 4})
    live.painted(steps("lstm")[3].text)
    box = live.page.get_by_role("button", name="Back", exact=True).bounding_box()
    expect(live.page.locator(".un-minute-on").first).to_have_text("Show me", use_inner_text=True)
    for at in (3, 2, 1):
        live.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        expect(live.page.locator(".un-minute-name").first).to_have_text(
            f"First minute {at} of 4", use_inner_text=True
        )
    live.page.mouse.move(0, 0)
    live.page.wait_for_function(
        """() => { const found = document.querySelector(".un-pointed").getBoundingClientRect();
             return found.top >= 0 && found.top < innerHeight - 100; }"""
    )


@pytest.mark.slow
def test_it_is_offered_until_it_is_ended_and_shared_with_the_text_of_its_sender(page: Page) -> None:
    live = page("lstm")
    live.page.get_by_role("button", name="No first minute").click()
    live.open()
    expect(live.page.locator(".un-minute-offer").first).not_to_be_visible()
    live.page.get_by_text("Examples", exact=True).click()
    live.page.locator(".un-minute-start").click()
    live.painted(steps("lstm")[0].text)
    live.page.get_by_role("button", name="End the first minute").click()
    expect(live.page.locator(".un-minute").first).not_to_be_visible()
    live.open(step=2, text="Somebody else", unit=5).painted("Somebody else")
    expect(live.page.locator(".un-minute-says").first).to_have_text(
        steps("lstm")[1].says, use_inner_text=True
    )
    assert live.kept()["unit"] == "5"
    live.open(run="gru_large", step=1)  # of another model nothing is said
    expect(live.page.locator(".un-minute, .un-minute-offer").first).not_to_be_visible()
