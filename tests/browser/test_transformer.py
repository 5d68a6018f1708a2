"""The Transformer, BERT and Model surgery in a real browser: the stops hold the model's own numbers, a
click masks a word, and one on a part takes it away."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import expect

from engine.analysis import surgery
from engine.runs.store import Run, RunStore
from tests.browser.conftest import Live
from tests.browser.test_surgery import change, settle

pytestmark = pytest.mark.slow
Page, RunOf = Callable[..., Live], Callable[[str], Run]


def test_the_stops_hold_the_model_s_own_numbers(page: Page, run_of: RunOf) -> None:
    live = page("transformer", query={"text": "The old captain", "stop": "4"}).type(" l")
    trace = RunStore().load(run_of("transformer")).trace("The old captain l")

    def stop(part: str, wanted: np.ndarray) -> None:
        live.says("flow", part, "h3")
        np.testing.assert_allclose(live.numbers()["stop"][2], wanted, atol=1e-4)

    stop("layer 1, attention", trace.field("attention.output").values[0, -1])
    panel, middle_D = live.panel("flow"), trace.field("residual.middle").values[0, -1]
    panel.get_by_role("button", name="Next ›", exact=True).click()
    stop("stream after attention", middle_D)
    live.page.keyboard.press("ArrowDown")
    live.says("flow", "layer 1, second norm", "h3")
    panel.get_by_label("Stop", exact=True).fill(str(len(trace.field("residual").values) * 6 + 5))
    live.says("flow", "softmax", "h3")
    best = (
        trace.field("probability")
        .axis("next")
        .labels[int(trace.field("probability").values[-1].argmax())]
    )
    live.says("flow", f"“{best.replace(' ', '·').replace(chr(10), '⏎')}”")
    live.settled("stop=")


def test_a_click_takes_a_head_away_and_undo_brings_it_back(page: Page, run_of: RunOf) -> None:
    model, text = RunStore().load(run_of("transformer")), "The girl looked at the man"
    live = page("surgery", query={"run": "transformer", "text": text})
    settle(live, 0)
    assert change(live) == 0.0
    live.panel("switches").get_by_role("button", name="head 2, layer 1", exact=True).click()
    settle(live, 1)
    edits = surgery.read("reading:0:1:*:scale:0", surgery.operable(model))[0]
    want = model.trace(text, edits).field("attention").values
    np.testing.assert_allclose(live.numbers()["edited.attention"][2], want, atol=1e-4)
    assert change(live) > 1e-3
    expect(live.panel("switches")).to_contain_text("switched off", use_inner_text=True)
    live.page.keyboard.press("Control+z")
    settle(live, 0)
    assert change(live) == 0.0
    live.open(run="transformer", text=text, edits="attention:0:1:4:2:set:0.5")
    settle(live, 1)
    assert live.numbers()["edited.attention"][2][0, 1, 4, 2] == 0.5
    expect(live.panel("opened")).to_be_visible()


def test_a_click_masks_a_word(page: Page, run_of: RunOf) -> None:
    model = RunStore().load(run_of("bert"))
    live = page("bert", query={"text": "the cat and the dog"})
    live.type("\na cat sat")
    assert live.page.locator(".un > .un-chips").is_hidden()
    third = live.panel("blanks").locator(".un-step").nth(3)
    there = "'fill.3' in document.querySelector('[data-unrolled]').unrolled.fields"
    third.click()
    live.page.wait_for_function(there)
    fill_V = model.trace("the cat [MASK] the dog\na cat sat").field("fill").values[3]
    _, (words,), values = live.numbers()["fill.3"]
    wanted = fill_V[[model.tokenizer.vocab.index(word) for word in words]]
    np.testing.assert_allclose(values, wanted, rtol=1e-3)
    np.testing.assert_allclose(values, np.sort(fill_V)[::-1][: len(words)], rtol=1e-3)
    rank = int((fill_V > fill_V[model.tokens("and").ids[1]]).sum()) + 1
    live.says("blanks", f"rank {rank:,} of", ".un-top .un-says")
    live.settled("masks=3")
    live.open(**live.kept()).painted()
    expect(third).to_have_attribute("aria-pressed", "true")
    assert "fill.3" in live.numbers()
    third.click()  # once more shows it again
    live.page.wait_for_function(f"!({there})")
