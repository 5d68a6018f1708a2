"""The page on the sentence classifier in a real browser: the answer with and without a filter is the
model's own, and so are the sums of a filter that is opened."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from engine.core.tap import Edit
from engine.models.abilities import able
from engine.models.textcnn import TextCNN
from tests.browser.conftest import Live
from tests.conftest import shipped

pytestmark = pytest.mark.browser
TEXT = "The plot is a boring mess, but the acting is superb"


def answer(text: str, *off: int) -> np.ndarray:
    edits = tuple(Edit("largest", {"unit": unit}) for unit in off)
    values: np.ndarray = shipped("textcnn").trace(text, edits).field("label").values[-1]
    return values


def test_a_filter_is_switched_off_and_on(page: Callable[..., Live]) -> None:
    live = page("textcnn").fill(TEXT)
    np.testing.assert_allclose(live.numbers()["drawn.label"][2], answer(TEXT), atol=1e-4)
    switch = live.page.locator('[data-panel="phrases"] .un-order button').first
    words = switch.inner_text()
    assert "switch off" in words
    unit = int(words.split()[1].strip(":"))
    best = able(shipped("textcnn"), TextCNN).trace(TEXT).field("largest").values[-1]
    head = shipped("textcnn").weights()["head.weight"]
    adds = np.abs(best * (head[1] - head[0]))
    assert adds[unit] == pytest.approx(adds.max(), rel=1e-4), "the strongest one is offered"
    switch.click()
    live.settled(f"picks={unit}")
    found = live.numbers()["drawn.label"][2]
    np.testing.assert_allclose(found, answer(TEXT, unit), atol=1e-4)
    assert not np.allclose(found, answer(TEXT), atol=1e-4)
    live.page.click("text=All filters on")
    live.page.wait_for_function("() => !location.search.includes('picks')")
    np.testing.assert_allclose(live.numbers()["drawn.label"][2], answer(TEXT), atol=1e-4)


def test_a_link_opens_a_filter(page: Callable[..., Live]) -> None:
    live = page("textcnn", query={"text": TEXT, "unit": 70, "picks": "3,70"})
    live.painted()
    np.testing.assert_allclose(live.numbers()["drawn.label"][2], answer(TEXT, 3, 70), atol=1e-4)
    model = able(shipped("textcnn"), TextCNN)
    c_T = model.trace(TEXT).field("response").values[:, 70]
    sums = live.numbers()["drawn.sums"][2]
    bank, place = divmod(70, model.config.filters)
    bias = float(model.weights()[f"banks.{bank}.bias"][place])
    assert len(sums) == model.config.covers[bank]
    assert max(0.0, float(sums.sum()) + bias) == pytest.approx(float(c_T.max()), abs=1e-3)
    live.page.keyboard.press("Escape")
    live.page.click('[data-panel="phrases"] canvas', position={"x": 300, "y": 120})
    live.page.keyboard.press("ArrowDown")
    live.painted()
