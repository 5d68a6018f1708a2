"""The word-vector page in a real browser: cosines and the odd one out on the screen are those of
the table of vectors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import expect

from engine.runs.store import Run, RunStore
from engine.vectors import odd
from tests.browser.conftest import Live

pytestmark = pytest.mark.browser


def test_the_page_answers_keys_rest_and_clicks(
    page: Callable[..., Live], run_of: Callable[[str], Run]
) -> None:
    space = RunStore().load(run_of("skipgram")).space
    live = page("vectors").fill("red green blue seven")
    live.type(" yellow")
    words = "red green blue seven yellow".split()
    unit_ND = space.values[[space.row(w) for w in words]].astype(np.float64)
    unit_ND /= np.linalg.norm(unit_ND, axis=1, keepdims=True)
    tab = live.page
    panel = tab.locator('[data-panel="similarity"]')
    panel.get_by_role("button", name="Table").click()
    cells = [
        float(text.replace("−", "-"))
        for text in panel.locator("td").all_inner_texts()
        if not text.isalpha()
    ]
    np.testing.assert_allclose(np.reshape(cells, (5, 5)), unit_ND @ unit_ND.T, atol=6e-4)
    fits = dict(zip(words, odd.scores(unit_ND), strict=True))
    rows = tab.locator('[data-panel="oddone"] .un-row')
    shown = {
        row.locator(".un-row-label").inner_text(): float(row.locator(".un-row-value").inner_text())
        for row in rows.all()
    }
    assert list(shown) == sorted(words, key=lambda w: fits[w])
    np.testing.assert_allclose([shown[w] for w in words], [fits[w] for w in words], atol=6e-4)
    expect(tab.locator('[data-panel="oddone"] h3')).to_have_text(
        "Odd one out: “seven”", use_inner_text=True
    )
    rows.nth(0).click()
    tab.wait_for_function(
        """() => document.querySelector('[data-panel="neighbours"] h3').textContent.includes("seven")"""
    )
    row = space.row("seven")
    nearest = space.nearest(space.values[row], 3, ("seven",))
    assert tab.locator('[data-panel="neighbours"] .un-row-label').all_inner_texts()[:3] == [
        word for word, _ in nearest
    ]
    tab.get_by_text("king − man + woman").first.wait_for()
    box = tab.get_by_label("is to b", exact=True)
    box.fill("queen")
    box.press("Enter")
    tab.get_by_text("queen − man + woman").first.wait_for()
