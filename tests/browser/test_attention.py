"""Attention step by step in a real browser: every cell is the sum it opens to, and the switches
compute from the real scores."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import expect

from engine.runs.store import Run, RunStore
from tests.browser.conftest import COUNT_SENT, FRAMES, QUIET, Live

pytestmark = pytest.mark.browser
TEXT = "The cat sat on the mat"
READER = "document.querySelector('.un').parentElement.unrolledApp.readers.values().next().value"
STAGES = {
    "input",
    "query",
    "key",
    "value",
    "product",
    "scaled",
    "masked",
    "attention",
    "weighted",
    "reading",
}


def softmax(x: np.ndarray, axis: int) -> np.ndarray:
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def test_every_cell_opens_to_its_sum(
    page: Callable[..., Live], run_of: Callable[[str], Run]
) -> None:
    live = page("attention", query={"layer": 1, "head": 0}).fill(TEXT)
    model = RunStore().load(run_of("transformer"))
    trace = model.trace(TEXT)
    canvas = live.page.locator('[data-panel="chain"] canvas')
    canvas.scroll_into_view_if_needed()
    live.page.evaluate(COUNT_SENT)
    live.page.wait_for_function(QUIET)  # the address is written
    live.page.evaluate("window.sent = 0")
    size, found = canvas.bounding_box(), {}
    dataset = "({ ...document.querySelector('[data-panel=\"working\"] .un-body').dataset })"
    for y in (0.12, 0.5, 0.85):
        for x in (0.16, 0.36, 0.58, 0.8):
            canvas.hover(position={"x": x * size["width"], "y": y * size["height"]})
            live.page.evaluate(FRAMES)
            cell = live.page.evaluate(dataset)
            total, field = (
                float(cell["sum"].replace("Infinity", "inf")),
                float(cell["field"].replace("Infinity", "inf")),
            )
            assert (
                total == pytest.approx(field, abs=1e-3, rel=1e-4) or total == field == -math.inf
            ), cell
            found[cell["stage"]] = cell
    assert set(found) == STAGES
    live.page.mouse.move(2, 2)

    q, k, score = (
        trace.field(name).values[1, 0].astype(float) for name in ("query", "key", "score")
    )
    product, seen = q @ k.T, np.isfinite(score)
    root = math.sqrt(q.shape[1])
    panel = live.page.locator('[data-panel="chain"]')

    def drawn(name: str, wanted: np.ndarray) -> None:
        live.page.evaluate(FRAMES)
        np.testing.assert_allclose(
            live.numbers()[name][2], wanted, atol=2e-3, rtol=1e-4, err_msg=name
        )

    soft = live.page.locator('[data-panel="soft"]')

    def choose(words: str, how: str) -> None:
        soft.get_by_role("button", name=words).click()
        live.page.wait_for_function(f"{READER}.said.at[2] === '{how}'")

    drawn("attention", softmax(score, 1))
    choose("softmax over columns", "column")
    drawn("attention", softmax(score, 0))
    expect(panel.locator(".un-readout")).to_contain_text("rows do not", use_inner_text=True)
    choose("not divided", "mask")
    drawn("scaled", product)
    drawn("attention", softmax(np.where(seen, product, -np.inf), 1))
    choose("no mask", "scale")
    drawn("attention", softmax(product / root, 1))
    expect(panel.locator(".un-says").first).to_contain_text(
        "Changed: not what the model computes", use_inner_text=True
    )
    live.settled("with=scale")
    choose("as the model does it", "scale.mask")
    drawn("attention", softmax(score, 1))

    soft.locator("select").nth(1).select_option(index=1)
    live.page.wait_for_function(
        "document.querySelector('[data-panel=\"chain\"] .un-title').textContent.includes('head 2')"
    )
    live.page.wait_for_function(
        "document.querySelector('[data-panel=\"chain\"]') &&"
        " document.querySelector('[data-unrolled]').unrolled.fields.query"
    )
    np.testing.assert_allclose(
        live.numbers()["query"][2], trace.field("query").values[1, 1], atol=2e-3
    )
    live.fill("")
    expect(live.page.locator('[data-panel="working"]')).to_contain_text(
        "Type something", use_inner_text=True
    )
    live.fill("👩‍🚀")
