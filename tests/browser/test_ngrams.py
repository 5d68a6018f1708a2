"""The n-grams page: a word is chosen by click, by key and by link; its ladder adds up to its
probability, and plays.  What the pictures say of it is asked of functions in tests/lessons/test_ngrams.py
and tests/live/test_lookup.py."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from engine.runs.store import Run, RunStore
from tests.browser.conftest import RAISED, Live

TEXT = "The king of the"
TOLD = """(id) => {
  const panel = document.querySelector(`[data-panel="${id}"]`), said = panel.querySelector(".un-player-said");
  window.told = [];
  new MutationObserver(() => said.textContent && window.told.push(said.textContent)).observe(said, { childList: true, characterData: true, subtree: true });
}"""


def number(text: str) -> float:
    """The number that a text begins with, as it is written on the page."""
    found = re.match(r"([\d,.]*\d)(?: × 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?( %)?", text)
    assert found, text
    power = int((found[2] or "0").translate(RAISED)) - (2 if found[3] else 0)
    return float(found[1].replace(",", "")) * 10.0**power


def close(shown: str, value: float) -> None:
    assert number(shown) == pytest.approx(value, rel=6e-3), shown


def written(formula: str) -> float:
    """The value of "(3 − 1.41) / 384 × 0.620": a count, perhaps less a discount, over a total,
    perhaps times a weight."""
    tiny = re.sub(r" × (10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", r"~\1", formula)  # a power of ten belongs to its number
    counted, rest = tiny.split(" / ")
    total, *weight = rest.split(" × ")
    kept = sum((-1) ** i * number(part) for i, part in enumerate(counted.strip("()").split(" − ")))
    return kept / number(total) * math.prod(number(w.replace("~", " × ")) for w in weight)


def rungs_add_up(live: Live, model: Any, word: str) -> None:
    """Every rung: (count - discount) / total times what the longer orders left."""
    trace, order = model.trace(TEXT), model.config.order
    columns, gamma_M = trace["ladder"].columns, trace.field("backoff").values[-1].astype(float)
    here = (columns["position"] == len(trace.tokens) - 1) & (columns["next"] == word)
    (i,) = np.flatnonzero(here)
    rungs, weight, whole = live.page.locator(".un-rung").all(), 1.0, 0.0
    assert len(rungs) == order + 1
    for m, rung in zip(range(order, -1, -1), rungs, strict=True):
        count, part = 1.0, weight / model.smoothed.predicted
        if m:
            count, total, discount = (
                float(columns[f"{name}_{m}"][i]) for name in ("count", "total", "discount")
            )
            part = weight * (count - discount) / total if count else 0.0
        if count:
            formula, value = rung.locator(".un-formula").inner_text().split(" = ")
            close(value, part)
            assert written(formula) == pytest.approx(part, rel=2e-2), formula
        weight, whole = weight * (gamma_M[m] if m else 0), whole + part
    p = trace.field("probability").values[-1][model.tokenizer.vocab.index(word)]
    assert whole == pytest.approx(p, rel=1e-4)
    close(live.says("ladder", " = ", ".un-body > .un-formula").split(" = ")[-1], p)


def it_plays(live: Live, model: Any) -> None:
    """Order by order, in the model's own numbers; nobody is asked; a key ends it.  That all steps come within
    five seconds: tests/js/playback.test.js."""
    live.alone()
    live.page.evaluate(TOLD, "ladder")
    panel = live.panel("ladder")
    play = panel.locator(".un-play")
    left_M = np.cumprod(model.trace(TEXT).field("backoff").values[-1][:0:-1])
    live.page.emulate_media(reduced_motion="reduce")  # each step at once
    for _ in range(len(left_M) + 1):
        play.click()
    live.page.emulate_media(reduced_motion="no-preference")
    assert live.sent == 0
    told = live.page.evaluate("[...new Set(window.told)]")
    found = [re.search(r"order (\d) adds .*; (\S+) % goes on down", words) for words in told]
    shares = {int(m[1]): float(m[2]) for m in found if m}
    assert list(shares) == list(range(len(left_M), 0, -1)) and "uniform adds" in told[-1]
    assert list(shares.values()) == pytest.approx(100 * left_M, rel=0.01)
    play.click()
    expect(play).to_have_text("Pause")
    live.type("y")
    expect(play).to_have_text("Play")
    expect(panel.locator(".un-player-said")).to_have_text("", use_inner_text=True)
    expect(panel.locator(".un-coming")).to_have_count(0)


@pytest.mark.slow
def test_a_click_opens_the_ladder_of_a_word(
    page: Callable[..., Live], run_of: Callable[[str], Run]
) -> None:
    model: Any = RunStore().load(run_of("ngram"))
    live = page("ngrams").fill(TEXT)
    rows, search = live.panel("next").locator('[role="option"]'), live.page.locator(".un-search")
    answer = live.page.locator(".un-answer")
    for at in (0, 5):
        word = rows.nth(at).locator(".un-row-label").inner_text()
        rows.nth(at).click()
        live.says("ladder", f"P(“{word}”)", ".un-title")
        expect(answer).to_contain_text(f"“{word}”:")
        expect(rows.nth(at)).to_have_attribute("aria-selected", "true")
        rungs_add_up(live, model, word)
    rows.nth(5).click()  # a second click lets go
    expect(answer).to_contain_text("Type any word")

    # by keyboard: arrows move in the word, not along the sentence; then along the list
    search.focus()
    live.page.keyboard.type("king")
    expect(answer).to_contain_text("“king”:")
    live.page.keyboard.press("ArrowLeft")
    assert "after “the”" in live.panel("next").locator(".un-title").inner_text()
    live.page.keyboard.press("Tab")
    assert live.page.evaluate("document.activeElement.textContent") == "Log axis"
    for key in ("Tab", "ArrowDown", "ArrowDown"):
        live.page.keyboard.press(key)
    expect(rows.nth(1)).to_have_attribute("aria-selected", "true")
    expect(search).to_have_value(rows.nth(1).locator(".un-row-label").inner_text())
    live.page.keyboard.press("Escape")
    expect(answer).to_contain_text("Type any word")
    it_plays(live, model)

    # a link brings the word back; what stands after an earlier token is answered without the server
    search.fill("cat")
    live.settled("next=cat")
    live.page.reload()
    live.ready()
    expect(answer).to_contain_text("“cat”: place")
    expect(search).to_have_value("cat")
    live.alone()
    live.page.locator(".un-chip").nth(2).hover()
    expect(answer).to_contain_text("after “king”")
    assert live.sent == 0
