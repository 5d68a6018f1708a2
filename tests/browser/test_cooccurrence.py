"""Co-occurrence in a real browser: counts and PPMI made there equal the engine's; the sliders ask
no server."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from playwright.sync_api import expect

from engine.course.curriculum import lesson
from engine.lessons.cooccurrence.counts import Rules, Typed, table
from engine.text.tokenizers.words import Words
from tests.browser.conftest import Live, soon


def test_the_tables_are_those_of_the_engine(page: Callable[..., Live]) -> None:
    text = lesson("cooccurrence").example
    live = page("cooccurrence", query={"text": text, "rules": "2.d.r.ppmi.75.5"})
    live.type("\nice is")

    def check(rules: str, text: str) -> None:
        tokens, read = Words(()).encode(text), Rules.read(rules)
        typed = Typed.of(tokens.labels, tokens.spans)
        axes, labels, values = live.numbers()[f"near.{read.step}"]
        assert axes == ["source", "target"] and labels == [list(typed.words)] * 2
        np.testing.assert_allclose(values, table(typed, read), atol=1e-5)

    text += "\nice is"
    check("2.d.r.ppmi.75.5", text)
    panel = live.page.locator('[data-panel="near"]')
    panel.get_by_label("Shift").select_option("1")
    panel.get_by_role("button", name="Counts", exact=True).click()
    panel.get_by_label("Window", exact=True).fill("4")
    panel.get_by_label("Sides").select_option("b")
    panel.get_by_label("Weight of a neighbour").select_option("f")
    live.settled("rules=4.f.b.count.75.1")
    soon(live.page, lambda: check("4.f.b.count.75.1", text))
    live.page.locator(".un-chip", has_text="paris").click()
    says = "“paris” with “is”: X = 1. All neighbours of “paris” together: 4"
    expect(panel.locator(".un-readout")).to_have_text(re.compile(f"^{re.escape(says)}"))
    company = live.page.locator('[data-panel="company"]')
    expect(company).to_contain_text("Neighbours of “paris”")
    expect(company).to_contain_text("1 place in the text")
    onehot = live.page.locator('[data-panel="onehot"] .un-readout')
    expect(onehot).to_contain_text("word 1 of 12")
    expect(onehot).to_contain_text("= 1.41")
    expect(live.page.locator('[data-panel="dense"] .un-readout')).to_contain_text(
        "cosine", use_inner_text=True
    )
    live.page.get_by_text("Singular values σ of the PPMI table").first.wait_for()
