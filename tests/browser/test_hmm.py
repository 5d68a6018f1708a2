"""The page on hidden Markov models: what stands on the screen, recomputed from the shipped tagger, and
a path that is bent by a click."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.runs.store import RunStore
from tests.browser.conftest import FRAMES, Live

pytestmark = pytest.mark.browser
Page = Callable[..., Live]
TEXT = "You can open the open door"
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


@pytest.fixture
def model() -> Any:
    return RunStore().load(RunStore().find("hmm_tagger"))


def powers(text: str) -> list[float]:
    found = re.findall(r"(\d\.\d+) × 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", text)
    return [float(a) * 10.0 ** int(b.translate(RAISED)) for a, b in found]


def test_the_trellis_shows_the_beliefs_and_the_path(page: Page, model: Any) -> None:
    live = page("hmm").fill(TEXT)
    trace = model.trace(TEXT)
    for view, name in (("Filtered", "filter"), ("Smoothed", "smooth"), ("Predicted", "predict")):
        live.page.click(f'[data-panel="trellis"] button:text-is("{view}")')
        live.page.wait_for_function(
            "(view) => document.querySelector(`[data-view=${view}]`).ariaPressed === 'true'",
            arg=name,
        )
        axes, _, values = live.numbers()[name]
        assert axes == ["token", "state"]
        np.testing.assert_allclose(values, trace.field(name).values, atol=1e-6)
    np.testing.assert_array_equal(live.numbers()["viterbi"][2], trace.field("viterbi").values)
    said = live.page.inner_text('[data-panel="trellis"] .un-readout')
    assert "“door” in state NOUN" in said and "comes from ADJ" in said


def test_a_click_bends_a_path_whose_product_is_shown(page: Page, model: Any) -> None:
    live = page("hmm").fill(TEXT)
    trace = model.trace(TEXT)
    path = trace.field("viterbi").values.astype(int)

    def product(path: np.ndarray) -> float:
        emission = model.likely(model.tokens(TEXT))[np.arange(1, len(path)), path[1:]]
        return float(np.prod(model.a_SS[path[:-1], path[1:]] * emission))

    total = '[data-panel="joint"] .un-total'
    assert powers(live.page.inner_text(total))[0] == pytest.approx(product(path), rel=6e-3)
    box = live.page.locator('[data-panel="trellis"] canvas')
    box.scroll_into_view_if_needed()
    size = box.bounding_box()
    assert size
    names = len(model.states)
    row = (size["height"] - 50) / names
    state, token = model.states.index("NOUN"), 5
    for x in range(100, int(size["width"]), 40):
        box.hover(position={"x": x, "y": 46 + (state + 0.5) * row})
        live.page.evaluate(FRAMES)
        if live.page.evaluate(
            "(n) => document.querySelectorAll('.un-chip')[n].className.includes('un-now')",
            token,
        ):
            break
    box.click(position={"x": x, "y": 46 + (state + 0.5) * row})
    live.settled("picks=")
    assert live.kept()["picks"] == f"{token}:{state}"
    bent = path.copy()
    bent[token] = state
    mine, best = powers(live.page.inner_text(total))[:2]
    assert mine == pytest.approx(product(bent), rel=6e-3)
    assert best == pytest.approx(product(path), rel=6e-3)
    factors = live.numbers()["own.transition"][2]
    np.testing.assert_allclose(factors, [1, *model.a_SS[bent[:-1], bent[1:]]], rtol=1e-5)
    live.type("s")  # the words before stay, and the bend with them
    assert live.page.inner_text(total).startswith("Your path")
    live.fill("You will open the blue door")  # another word stands where it was bent
    assert live.page.inner_text(total).startswith("The likeliest path")
    live.fill(TEXT)
    assert live.page.inner_text(total).startswith("Your path")
    live.page.click('button:text-is("Back to the best path")')
    live.page.wait_for_function(
        "() => document.querySelector('[data-panel=joint] .un-total').textContent.startsWith('The')"
    )


def test_two_beginnings_come_together(page: Page) -> None:
    live = page("hmm").fill(TEXT)
    apart = live.numbers()["apart.unread"][2]
    assert apart[0] == 1 and (np.diff(apart) <= 1e-9).all() and apart[-1] < 0.01
    read = live.numbers()["apart.read"][2]
    assert read[len(model_tokens()) - 1] < apart[len(model_tokens()) - 1]


def model_tokens() -> list[str]:
    return ["</s>", *TEXT.split()]


@pytest.mark.parametrize("lang", ["en", "de"])
def test_the_headings_of_a_step_are_whole_on_a_phone(page: Page, lang: str) -> None:
    live = page("hmm", width=390, query={"lang": lang})
    drawn = """() => { const fill = CanvasRenderingContext2D.prototype.fillText; window.drawn = [];
      CanvasRenderingContext2D.prototype.fillText = function (text, ...at) {
        if (this.canvas.closest('[data-panel="step"]')) window.drawn.push(text);
        return fill.call(this, text, ...at); }; }"""
    live.page.locator('[data-panel="step"]').scroll_into_view_if_needed()
    live.page.evaluate(drawn)
    live.fill("You can open it")
    live.page.wait_for_function("window.drawn.includes('b(w_t)')")
    said = set(live.page.evaluate("window.drawn"))
    assert {"f_t-1", "f_t-1 A", "f_t", "γ_t"} <= said
    assert not [text for text in said if "…" in text]
