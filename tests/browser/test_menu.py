"""The menu and the course map in a real browser: where one is, a search by keyboard, one step in the
history for a click, a screen of 390 px; the course as a picture, and a course of one's own."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from engine.course.curriculum import LESSONS, MAP, lesson
from tests.bench.server import Server
from tests.browser.conftest import Live

Page = Callable[..., Live]


def menu(page: Any) -> Any:
    return page.get_by_test_id("stSidebar")


def unfolded(page: Any) -> list[str]:
    found: list[str] = page.eval_on_selector_all(
        ".un-menu details[open] summary", "all => all.map((one) => one.textContent)"
    )
    return found


def arrived(page: Any, title: str) -> None:
    """The lesson's page is there, and marked in the menu."""
    page.get_by_role("heading", name=title, exact=True).first.wait_for()
    here = menu(page).locator("a[aria-current='page']")
    expect(here).to_have_count(1)
    expect(here).to_contain_text(title)


def asked(page: Any, words: str) -> None:
    page.keyboard.press("Control+k")
    page.keyboard.type(words)
    page.keyboard.press("Enter")


@pytest.mark.slow
def test_it_shows_where_one_is_and_a_click_is_one_step_in_the_history(page: Page) -> None:
    live = page("lstm").fill("there and back")
    tab = live.page
    arrived(tab, "LSTM gates")
    assert unfolded(tab) == ["Recurrence"]
    listed = menu(tab).locator(".un-menu-era a")
    assert [link.get_attribute("href") for link in listed.all()] == [
        item.id for item in LESSONS if item is not MAP
    ]
    live.settled("text=there")
    steps = tab.evaluate("history.length")
    menu(tab).locator("summary", has_text="Attention").click()
    menu(tab).get_by_role("link", name="Attention", exact=True).click()
    live.name = "attention"
    live.ready().painted("there and back")
    arrived(tab, "Attention")
    live.settled("text=there")
    assert tab.evaluate("history.length") == steps + 1
    tab.go_back()
    live.name = "lstm"
    live.ready().painted("there and back")
    arrived(tab, "LSTM gates")
    # what is folded by hand stays so on the next page
    assert unfolded(tab) == ["Recurrence", "Attention"]
    tab.go_forward()
    live.name = "attention"
    live.ready().painted("there and back")
    menu(tab).locator("summary", has_text="Counting").click()
    link = menu(tab).get_by_role("link", name="Smoothing", exact=True)
    with tab.context.expect_page() as opened:
        link.click(modifiers=["Control"])
    opened.value.wait_for_url(re.compile("/smoothing$"))
    assert tab.url.split("?")[0].endswith("/attention")
    # on a low screen the mark is brought into sight
    tab.set_viewport_size({"width": 1280, "height": 320})
    tab.goto(f"{live.url}/compare")
    arrived(tab, "Compare")
    tab.wait_for_function(
        "() => { const a = document.querySelector('.un-menu a[aria-current]').getBoundingClientRect(); return a.top > 0 && a.bottom < innerHeight; }"
    )


def test_a_search_leads_to_the_panel_in_three_actions(page: Page) -> None:
    live = page("ngrams").fill("")
    tab = live.page
    live.box.press("/")  # a text may hold one
    live.painted("/").fill("taken along")
    live.box.press("Escape")
    live.settled("text=taken")
    tab.locator("h2, h1").first.click()
    tab.keyboard.press("/")
    tab.keyboard.type("surgery")
    menu(tab).locator("[role=listbox]:not([aria-busy])").wait_for()  # not the answer to "surg"
    box = menu(tab).get_by_role("combobox").first
    chosen = menu(tab).locator("[role=option][aria-selected=true]")
    first = chosen.get_attribute("href")
    tab.keyboard.press("ArrowDown")
    assert chosen.get_attribute("href") != first
    expect(box).to_have_attribute("aria-activedescendant", chosen.get_attribute("id"))
    tab.keyboard.press("ArrowUp")
    assert chosen.get_attribute("href") == first == "surgery"
    box.fill("xqzzvk")
    menu(tab).get_by_text("No page or topic has a similar name.").wait_for()
    tab.keyboard.press("Escape")
    expect(box).to_have_value("")
    expect(menu(tab).get_by_role("option")).to_have_count(0)
    asked(tab, "chain rule")  # a place on the open page
    tab.wait_for_selector('[data-panel="chain"].un-arrived')
    asked(tab, "rotary")
    tab.wait_for_url(re.compile(r"/positions\?panel=part-rotations\b"))
    tab.wait_for_selector(".st-key-part-rotations.un-arrived", state="attached")
    live.name = "positions"
    live.ready().painted("taken along")
    expect(menu(tab).get_by_role("combobox").first).to_have_value("")


@pytest.mark.slow
def test_another_run_on_the_open_page_and_a_foot_that_leads_on(page: Page) -> None:
    live = page("surgery").fill("stays here")
    main = live.page.get_by_test_id("stMain")
    main.get_by_text("About 15 minutes. Good to know before:").wait_for()
    main.get_by_role("link", name="Previous: LSTM gates").click()
    live.name = "lstm"
    live.ready().painted("stays here")
    main.get_by_role("link", name="Next: Surgery").wait_for()
    asked(live.page, "peephole")
    live.settled("run=peephole")
    live.ready().painted("stays here")
    chosen = live.page.get_by_role("combobox", name="Model", exact=True)
    assert chosen.input_value().startswith("Peephole LSTM")
    chosen.click()
    live.page.get_by_role("option", name="Small LSTM").first.click()
    live.settled("run=lstm_small")
    live.ready().painted("stays here").type(" no")
    live.page.get_by_text("Sources, and how").click()
    live.page.get_by_text(
        "(lstm_small)"
    ).wait_for()  # "Model: Small LSTM (lstm_small), trained on ..."
    # a link leaves a save menu shut
    live.page.goto(f"{live.url}/ngrams?panel=ladder")
    panel = live.page.wait_for_selector('[data-panel="ladder"].un-arrived')
    assert panel.query_selector("details[open]") is None


@pytest.mark.slow
def test_on_a_small_screen_it_makes_room(page: Page) -> None:
    live = page("lstm", width=390)
    tab = live.page
    tab.locator("h2, h1").first.click()
    tab.keyboard.press("/")
    tab.wait_for_selector('[data-testid="stSidebar"][data-collapsed="false"]')
    tab.keyboard.type("compare")
    tab.keyboard.press("Enter")
    arrived(tab, "Compare")
    tab.wait_for_selector('[data-testid="stSidebar"][data-collapsed="true"]', state="attached")
    # Enter adds one model, not all that match
    field = tab.locator('[data-testid="stMultiSelect"] input').last
    field.click()
    field.press_sequentially("torch")
    tab.get_by_role("option", name="GRU as in torch").wait_for()
    field.press("Enter")
    live.name = "compare"
    assert live.settled("gru_after").count("_after") == 1


def test_the_course_map(tab: Callable[..., Any], server: Server) -> None:
    """A search on a phone; the course as a picture, as a link, and as a hand-out."""
    page = tab(width=390, height=844)
    page.goto(f"{server.url}/map?lessons=lstm,nothing,ngrams")
    lessons = page.locator(".un-course-lesson")
    lessons.first.wait_for()
    expect(lessons).to_have_count(len(LESSONS) - 1)
    expect(page.locator(".un-course-line")).to_have_count(sum(len(item.before) for item in LESSONS))
    assert page.evaluate("document.scrollingElement.scrollWidth") == 390
    # what a lesson builds on
    page.locator(".un-course-lesson[href=lstm]").focus()
    leads = sum("lstm" in item.before for item in LESSONS)
    lit = len(lesson("lstm").before) + len(lesson("rnn").before) + leads
    expect(page.locator(".un-course-line.un-on")).to_have_count(lit)
    page.get_by_text("LSTM gates, about 25 minutes").wait_for()
    # the chosen course
    course = page.get_by_label("Chosen lessons")
    expect(course).to_contain_text("2 lessons, about 35 min", use_inner_text=True)
    expect(course).to_contain_text("not chosen: Recurrent net", use_inner_text=True)
    page.get_by_text("Plan a course").click()
    page.get_by_role("checkbox", name="Recurrent net").check()
    page.wait_for_url(re.compile(r"\?lessons=ngrams,rnn,lstm$"))
    expect(course).not_to_contain_text("not chosen", use_inner_text=True)
    with page.context.expect_page() as opened:
        course.get_by_role("link", name="Open the hand-out").click()
    titles = opened.value.locator("article h2")
    expect(titles).to_have_text(["N-grams", "Recurrent net", "LSTM gates"], use_inner_text=True)
    opened.value.close()
    page.get_by_label("What are you looking for?").press_sequentially("kneser ney")
    found = page.get_by_role("link", name="Kneser-Ney smoothing")
    page.get_by_text("2 topics, the best").wait_for()
    found.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/smoothing\?panel=part-kneser-ney\b"))
    page.wait_for_selector(".un-arrived", state="attached")


@pytest.mark.slow
def test_the_text_of_a_form_goes_along_and_one_typed_elsewhere_comes_back(page: Page) -> None:
    """Smoothing holds its text in a box bound to the address."""
    live = page("ngrams").fill("the queen said")
    tab = live.page

    def go(name: str, box: str, text: str) -> Any:
        menu(tab).get_by_role("link", name=name, exact=True).click()
        arrived(tab, name)
        found = tab.get_by_label(box, exact=True).first
        expect(found).to_have_value(text)
        return found

    after = go("Smoothing", "After", "the queen said")
    after.fill("the old king")
    after.press("Enter")
    tab.wait_for_function("location.search.includes('after=the+old+king')")
    go("Scoring", "Sentences to score, one per line", "the old king")
    menu(tab).get_by_role("link", name="N-grams", exact=True).click()
    arrived(tab, "N-grams")
    live.painted("the old king").fill("a small cat")
    tab.wait_for_function("location.search.includes('text=a+small+cat')")
    go("Smoothing", "After", "a small cat")
