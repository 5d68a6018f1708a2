"""The preparation page in a real browser, one visit: keys, order by hand, marks, the link, the
parts below."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from engine.text.preparation.pipeline import Pipeline, numbered
from tests.browser.conftest import Live, reads

TEXT = "I'm sure she didn't pay $3.14 for 25 <b>cafés</b>!!!"


def check(live: Live, text: str, written: str) -> None:
    """What is drawn equals the engine's answer."""
    done = Pipeline.read(written).run(text)
    live.page.wait_for_function(
        """([counts, text]) => { const { text: drawn, fields } = document.querySelector("[data-unrolled]").unrolled;
             return drawn === text && String(Array.from(fields.changes.values)) === counts; }""",
        arg=[",".join(str(d.count) for d in done), text],
    )
    tokens = done[-1].after.split()
    assert live.rows("ids") == [
        [*row] for row in zip(tokens, map(str, numbered(tokens)), strict=True)
    ]
    last = next(d for d in reversed(done) if d.changes)
    shown = live.page.locator(".un-prep-text:visible").last.evaluate(
        "(p) => Array.from(p.childNodes, (n) => Array.from(n.childNodes, (m) => m.tagName === 'DEL'"
        " ? '' : m.textContent).join('')).join('')"
    )
    assert shown.replace("·", " ").replace("⏎\n", "\n") == last.after


@pytest.mark.slow
def test_a_pipeline_ordered_by_hand(page: Callable[..., Live]) -> None:
    start = "punctuation.strip-contractions-case.lower"
    live = page("preparation", query={"text": TEXT, "steps": start})
    check(live, TEXT, start)
    rows, tab = live.page.locator(".un-prep-row"), live.page
    reads(rows.nth(2), "Punctuation was removed earlier")
    reads(rows.nth(2), "Nothing to change")

    # by keyboard: the contractions move up, the focus goes with them, and then they find something
    rows.nth(2).get_by_label("Move up: Contractions").focus()
    tab.keyboard.press("Enter")
    check(live, TEXT, "contractions-punctuation.strip-case.lower")
    assert "Contractions" in tab.evaluate("document.activeElement.closest('li').innerText")
    expect(tab.locator(".un-prep-warned:visible")).to_have_count(0)
    expect(rows.nth(1).locator("del")).to_have_text(["I'm", "didn't"], use_inner_text=True)
    expect(rows.nth(1).locator("ins")).to_have_text(["I·am", "did·not"], use_inner_text=True)

    # an option, a switch, one more, one less
    tab.get_by_label("Punctuation: how").select_option("collapse")
    check(live, TEXT, "contractions-punctuation.collapse-case.lower")
    tab.get_by_label("Switch off: Letter case").click()
    check(live, TEXT, "contractions-punctuation.collapse-case.lower.off")
    tab.get_by_label("Add a step at the end").select_option("stopwords")
    check(live, TEXT, "contractions-punctuation.collapse-case.lower.off-stopwords.sklearn")
    tab.get_by_label("Remove: Letter case").click()
    live.type(" It was not bad.")
    text, steps = f"{TEXT} It was not bad.", "contractions-punctuation.collapse-stopwords.sklearn"
    check(live, text, steps)
    expect(tab.locator("[data-unrolled] .un-prep b"), "typed markup").to_have_count(0)

    # a token and where it comes from
    tab.locator(".un-lanes td", has_text="sure").hover()
    tab.wait_for_function("document.querySelectorAll('.un-prep .un-here').length > 1")
    assert {t.strip() for t in tab.locator(".un-prep .un-here").all_inner_texts()} == {"sure"}

    # the part below shows the order of the picture, where the address has it
    live.settled(f"steps={steps}")
    live.open(
        text=text, steps=steps, panel="part-gain-and-loss", **{"preparation.gain.pipeline": steps}
    )
    check(live, text, steps)
    part = tab.locator(".st-key-part-gain-and-loss")
    expect(part.get_by_role("combobox", name="Pipeline")).to_have_value(steps)
    reads(part, "yours differs from none by")
    live.fill("")
    for button, count in (("No steps", 1), ("Usual order", 10)):
        tab.get_by_role("button", name=button).click()
        expect(rows).to_have_count(count)
