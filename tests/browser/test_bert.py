"""The BERT page in a real browser: a click masks a word, the bars are those of the weights, and the
link brings them back."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from playwright.sync_api import expect

from engine.runs.store import Run, RunStore
from tests.browser.conftest import Live


def test_a_click_masks_a_word(page: Callable[..., Live], run_of: Callable[[str], Run]) -> None:
    model = RunStore().load(run_of("bert"))
    live = page("bert", query={"text": "the cat and the dog"})
    live.type("\na cat sat")
    assert live.page.locator(".un > .un-chips").is_hidden()
    strip = live.page.locator('[data-panel="blanks"] .un-step')
    strip.nth(3).click()
    live.page.wait_for_function(
        """() => "fill.3" in document.querySelector("[data-unrolled]").unrolled.fields"""
    )
    fill = model.trace("the cat [MASK] the dog\na cat sat").field("fill").values[3]
    drawn = live.numbers()
    for name, want in (
        ("fill.3", fill),
        ("both", fill),
        ("left", model.trace("the cat [MASK]").field("fill").values[3]),
    ):
        axes, (words,), values = drawn[name]
        assert axes == ["next"] and len(set(words)) == len(words)
        np.testing.assert_allclose(
            values, want[[model.tokenizer.vocab.index(w) for w in words]], rtol=1e-3, err_msg=name
        )
        np.testing.assert_allclose(
            values, np.sort(want)[::-1][: len(words)], rtol=1e-3, err_msg=name
        )
    np.testing.assert_allclose(
        drawn["sentence"][2],
        model.trace("the cat [MASK] the dog\na cat sat").field("sentence").values,
        atol=1e-4,
    )
    rank = int((fill > fill[model.tokens("and").ids[1]]).sum()) + 1
    expect(live.page.locator('[data-panel="blanks"] .un-top .un-says').first).to_contain_text(
        f"rank {rank:,} of", use_inner_text=True
    )
    live.settled("masks=3")
    live.open(**live.kept())
    live.painted()
    expect(strip.nth(3)).to_have_attribute("aria-pressed", "true")
    assert "fill.3" in live.numbers()
    strip.nth(3).click()  # once more shows it again
    live.page.wait_for_function(
        """() => !("fill.3" in document.querySelector("[data-unrolled]").unrolled.fields)"""
    )
