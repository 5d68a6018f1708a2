"""Attention step by step in a real browser: every cell is the sum it opens to.  What the switches
compute: tests/lessons/test_attention.py."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from engine.runs.store import Run, RunStore
from tests.browser.conftest import FRAMES, Live, reads

TEXT = "The cat sat on the mat"
SUMS = "input query key value product scaled masked attention weighted reading"
CELL = "({ ...document.querySelector('[data-panel=\"working\"] .un-body').dataset })"


@pytest.mark.slow
def test_every_cell_opens_to_its_sum(
    page: Callable[..., Live], run_of: Callable[[str], Run]
) -> None:
    live = page("attention", query={"layer": 1, "head": 0}).fill(TEXT)
    canvas = live.panel("chain").locator("canvas")
    canvas.scroll_into_view_if_needed()
    live.alone()
    size, found = canvas.bounding_box(), set()
    for y in (0.12, 0.5, 0.85):
        for x in (0.16, 0.36, 0.58, 0.8):
            live.page.mouse.move(size["x"] + x * size["width"], size["y"] + y * size["height"])
            live.page.evaluate(FRAMES)
            cell = live.page.evaluate(CELL)
            total, field = (float(cell[k].replace("Infinity", "inf")) for k in ("sum", "field"))
            assert total == field == -math.inf or total == pytest.approx(
                field, abs=1e-3, rel=1e-4
            ), cell
            found.add(cell["stage"])
    assert found == {*SUMS.split()} and live.sent == 0
    live.page.mouse.move(2, 2)

    soft = live.panel("soft")
    soft.get_by_role("button", name="no mask").click()
    live.says("chain", "Changed: not what the model computes", ".un-says")
    live.settled("with=scale")
    soft.get_by_role("button", name="as the model does it").click()
    soft.locator("select").nth(1).select_option(index=1)
    live.says("chain", "head 2", ".un-title")
    live.page.wait_for_function(
        "document.querySelector('[data-unrolled]').unrolled.fields.query?.values.length"
    )
    trace = RunStore().load(run_of("transformer")).trace(TEXT)
    query = trace.field("query").values[1, 1]
    np.testing.assert_allclose(live.numbers()["query"][2], query, atol=2e-3)
    live.fill("")
    reads(live.panel("working"), "Type something")
    live.fill("👩‍🚀")
    tab_reaches_every_button(live)


def tab_reaches_every_button(live: Live) -> None:
    """And a picture."""
    live.box.focus()
    seen, called = set(), "[e.tagName, e.textContent.slice(0, 12)].join(' ')"
    buttons = live.page.locator("[data-unrolled] :is(.un-does > button, .un-tools > button)")
    wanted = {*buttons.evaluate_all(f"(all) => all.map((e) => {called})")}
    for _ in range(60):
        live.page.keyboard.press("Tab")
        seen.add(live.page.evaluate(f"((e) => {called})(document.activeElement)"))
        if wanted <= seen and any(one.startswith("CANVAS") for one in seen):
            return  # a picture can be reached, too
    raise AssertionError(wanted - seen or "no picture")
