"""Ten things that a stranger wants of the program, each done by pointing and typing alone: the way is
found by the search, and the answer is on the screen after four clicks at most."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import WAIT_MS, Live

Page = Callable[..., Live]
MOST = 4  # clicks
TEXT = "The keys to the old cabinet were lost"
SEEN = """(words) => {
  const shown = (e) => { const r = e.getBoundingClientRect(); return r.height && r.top < innerHeight - 20 && r.bottom > 60 && r.width; };
  return [...document.querySelectorAll("[data-testid=stMain] *")]
    .some((e) => e.children.length < 4 && shown(e) && (e.textContent + (e.value ?? "")).includes(words));
}"""


class Stranger:
    """Somebody at a page, whose clicks are counted."""

    def __init__(self, live: Live) -> None:
        self.live, self.page, self.clicks = live, live.page, 0

    def click(self, what: Any) -> None:
        what.click(timeout=WAIT_MS)
        self.clicks += 1

    def find(self, question: str, title: str) -> None:
        """Ask the search, and take what it says of that page."""
        menu = self.page.get_by_test_id("stSidebar")
        self.click(menu.get_by_role("combobox").first)
        self.page.keyboard.type(question)
        first = menu.locator("[role=listbox]:not([aria-busy]) [role=option]").filter(has_text=title)
        self.click(first.first)
        self.page.get_by_role("heading", name=title, exact=True).first.wait_for()

    def button(self, name: str) -> None:
        self.click(self.page.get_by_role("button", name=name).first)

    def sees(self, words: str) -> None:
        """The words stand on the part of the page that is on the screen."""
        self.page.wait_for_function(SEEN, arg=words, timeout=WAIT_MS, polling=500)


# asked of the search: the page that answers, whether the text goes along, what is seen there
QUESTIONS = (
    (
        "which unit counts open brackets",
        "Unit detective",
        "",
        "places where layer 1, unit 27 is lowest",
    ),
    ("where is teacher forcing?", "Decoding", "", "Teacher forcing on “"),
    ("which smoothing is best?", "Smoothing", "", "held-out perplexity"),
    ("compare two models on my sentence", "Compare", "compare", "Which model predicted it best?"),
    ("attention of one head on my sentence", "Attention", "attention", "step by step"),
)


def what_if_i_switch_a_head_off(one: Stranger) -> None:
    one.find("what happens if I switch a head off", "Surgery")
    one.live.name = "surgery"
    one.live.ready().painted(TEXT)
    one.button("head 2, layer 1")
    one.sees("1 edit is made")


def keep_this_picture_for_my_slides(one: Stranger) -> None:
    menu = one.page.locator('[data-panel="switches"] details.un-save')
    one.click(menu.locator("summary"))
    with one.page.expect_download(timeout=WAIT_MS) as waiting:
        one.click(menu.get_by_text("PNG"))
    assert waiting.value.suggested_filename.endswith(".png")


def what_did_bpe_do_to_my_word(one: Stranger) -> None:
    one.find("what did BPE do to my word", "Learning pieces")
    one.sees("Cut a new word")
    one.click(one.page.locator('[data-panel="replay"] input'))
    one.page.keyboard.press("Control+a")
    one.page.keyboard.type("lowest")
    one.sees("low")


def rewind_the_training(one: Stranger) -> None:
    one.find("rewind the training", "LSTM gates")
    one.live.name = "lstm"
    one.live.ready()
    slider = one.page.locator('[data-timeline] [role="slider"]')
    slider.wait_for()
    size = slider.bounding_box()
    slider.click(position={"x": 0.4 * size["width"], "y": size["height"] / 2})
    one.clicks += 1
    one.live.settled("%40")  # the address names the step
    assert re.match(r"step [\d,]+ of", slider.get_attribute("aria-valuetext"))


def print_a_worksheet(one: Stranger) -> None:
    menu = one.page.get_by_test_id("stSidebar")
    one.click(menu.get_by_role("link", name="Course map"))
    one.click(one.page.get_by_text("Plan a course"))
    one.click(one.page.get_by_role("checkbox", name="Recurrent net"))
    with one.page.context.expect_page() as opened:
        one.click(one.page.get_by_role("link", name="Open the hand-out"))
    opened.value.locator("article h2").get_by_text("Recurrent net").wait_for()
    opened.value.close()


TASKS = (
    what_if_i_switch_a_head_off,
    keep_this_picture_for_my_slides,
    what_did_bpe_do_to_my_word,
    rewind_the_training,
    print_a_worksheet,
)


@pytest.mark.slow  # half a minute
def test_ten_tasks_take_four_clicks_at_most(page: Page) -> None:
    """One after the other, as somebody would who stays; the text goes along."""
    live = page("home").fill(TEXT)
    live.settled("text=The")
    needed = {}
    for question, title, name, words in QUESTIONS:
        one = Stranger(live)
        one.find(question, title)
        if name:
            live.name = name
            live.ready().painted(TEXT)
        one.sees(words)
        needed[question] = one.clicks
    for task in TASKS:
        one = Stranger(live)
        task(one)
        needed[task.__name__] = one.clicks
    assert max(needed.values()) <= MOST, needed
    assert needed["where is teacher forcing?"] == 2, needed
