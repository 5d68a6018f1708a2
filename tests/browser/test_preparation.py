"""The preparation page in a real browser, one visit: keys, order by hand, marks, the link, the
parts below."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from engine.language.numbers import number
from engine.text.corpora.reviews import CORPUS as REVIEWS
from engine.text.preparation.effect import accuracy
from engine.text.preparation.pipeline import Pipeline, numbered
from tests.browser.conftest import WAIT_MS, Live
from tests.browser.test_every_page import CONTRAST, HANGING, SMALL

pytestmark = pytest.mark.browser
TEXT = "I'm sure she didn't pay $3.14 for 25 <b>cafés</b>!!!"
WORDS = (
    ", ".join(
        f".un-{name}"
        for name in ("says readout button prep-text prep-title prep-note prep-warned".split())
    )
    + ", .un-prep del, .un-lanes td"
)


def check(live: Live, text: str, written: str) -> None:
    """What is drawn equals the engine's answer."""
    chain = Pipeline.read(written)
    done = chain.run(text)
    live.page.wait_for_function(
        """([counts, text]) => { const { text: drawn, fields } = document.querySelector("[data-unrolled]").unrolled;
             return drawn === text && String(Array.from(fields.changes.values)) === counts; }""",
        arg=[",".join(str(d.count) for d in done), text],
        timeout=WAIT_MS,
    )
    tokens = done[-1].after.split()
    app = "document.querySelector('[data-unrolled]').parentElement.unrolledApp"
    ids = live.page.evaluate(f"{app}.panels.find((one) => one.spec.id === 'ids').listed().rows")
    assert ids == [[*row] for row in zip(tokens, map(str, numbered(tokens)), strict=True)]
    texts = live.page.locator(".un-prep-text:visible").all()
    last = next(d for d in reversed(done) if d.changes)
    shown = texts[-1].evaluate(
        "(p) => Array.from(p.childNodes, (n) => Array.from(n.childNodes, (m) => m.tagName === 'DEL'"
        " ? '' : m.textContent).join('')).join('')"
    )
    assert shown.replace("·", " ").replace("⏎\n", "\n") == last.after


def test_a_pipeline_ordered_by_hand(page: Callable[..., Live]) -> None:
    live: Any = page(
        "preparation", query={"text": TEXT, "steps": "punctuation.strip-contractions-case.lower"}
    )
    check(live, TEXT, "punctuation.strip-contractions-case.lower")
    rows = live.page.locator(".un-prep-row")
    expect(rows.nth(2)).to_contain_text("Punctuation was removed earlier", use_inner_text=True)
    expect(rows.nth(2)).to_contain_text("Nothing to change", use_inner_text=True)

    # by keyboard: the contractions move up, the focus goes with them, and then they find something
    rows.nth(2).get_by_label("Move up: Contractions").focus()
    live.page.keyboard.press("Enter")
    check(live, TEXT, "contractions-punctuation.strip-case.lower")
    assert (
        live.page.evaluate("document.activeElement.closest('li').innerText").find("Contractions")
        >= 0
    )
    expect(live.page.locator(".un-prep-warned:visible")).to_have_count(0)
    expect(rows.nth(1).locator("del")).to_have_text(["I'm", "didn't"], use_inner_text=True)
    expect(rows.nth(1).locator("ins")).to_have_text(["I·am", "did·not"], use_inner_text=True)

    # an option, a switch, one more, one less
    live.page.get_by_label("Punctuation: how").select_option("collapse")
    check(live, TEXT, "contractions-punctuation.collapse-case.lower")
    live.page.get_by_label("Switch off: Letter case").click()
    check(live, TEXT, "contractions-punctuation.collapse-case.lower.off")
    live.page.get_by_label("Add a step at the end").select_option("stopwords")
    check(live, TEXT, "contractions-punctuation.collapse-case.lower.off-stopwords.sklearn")
    live.page.get_by_label("Remove: Letter case").click()
    live.type(" It was not bad.")
    text = f"{TEXT} It was not bad."
    check(live, text, "contractions-punctuation.collapse-stopwords.sklearn")

    # a token and where it comes from
    live.page.locator(".un-lanes td", has_text="sure").hover()
    live.page.wait_for_function("document.querySelectorAll('.un-prep .un-here').length > 1")
    assert {t.strip() for t in live.page.locator(".un-prep .un-here").all_inner_texts()} == {"sure"}

    # the part below shows the order of the picture, where the address has it
    steps = "contractions-punctuation.collapse-stopwords.sklearn"
    live.settled(f"steps={steps}")
    query = {"text": text, "steps": steps, "preparation.gain.pipeline": steps}
    live.open(panel="part-gain-and-loss", **query)
    check(live, text, steps)
    part = live.page.locator(".st-key-part-gain-and-loss")
    expect(part.get_by_role("combobox", name="Pipeline")).to_have_value(steps)
    mine, plain = (100 * accuracy(REVIEWS.labelled(), Pipeline.read(p))[0] for p in (steps, "none"))
    points = f"yours differs from none by {number(abs(mine - plain))} points"
    expect(part).to_contain_text(points, use_inner_text=True)
    for table in live.page.locator('[data-unrolled] button:text-is("Table")').all():
        table.click()
    for width, dark in ((390, True), (1280, False)):
        live.page.emulate_media(color_scheme="dark" if dark else "light")
        live.page.set_viewport_size({"width": width, "height": 900})
        live.page.wait_for_function(
            "(dark) => document.querySelector('[data-unrolled]').classList.contains('un-dark') ==="
            " dark",
            arg=dark,
        )
        # charts follow the window a moment later
        live.page.wait_for_function(f"() => Math.max(...({HANGING})().wide) <= 0")
        assert not live.page.evaluate(HANGING)["hanging"]
        assert live.page.evaluate(CONTRAST, WORDS) == []
        assert width != 390 or live.page.evaluate(SMALL) == []
    expect(
        live.page.locator("[data-unrolled] .un-prep b"), "typed markup stays text"
    ).to_have_count(0)
    live.fill("")
    live.page.get_by_role("button", name="No steps").click()
    live.page.wait_for_function("document.querySelectorAll('.un-prep-row').length === 1")
    live.page.get_by_role("button", name="Usual order").click()
    live.page.wait_for_function("document.querySelectorAll('.un-prep-row').length === 10")
