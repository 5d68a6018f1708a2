"""The positions page in a real browser: what is drawn is what the places say, and pointing at a
token reads it."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

from engine.lessons.positions import encodings
from engine.runs.store import RunStore
from tests.browser.conftest import Live


def test_what_the_places_say_is_drawn_and_read(page: Callable[..., Live]) -> None:
    store = RunStore()
    live = page("positions", query={"positions": "ALiBi"}).fill("the old dog bites the")
    live.type(" man")
    model = store.load(store.find("transformer_alibi"))
    trace = model.trace("the old dog bites the man")
    axes, _, values = live.numbers()["place"]
    assert axes == ["head", "token", "key"]
    count = len(trace.tokens)
    by_hand = [
        [
            [-(2.0 ** (-2 * (h + 1))) * (q - k) if k <= q else -np.inf for k in range(count)]
            for q in range(count)
        ]
        for h in range(4)
    ]
    np.testing.assert_allclose(values, by_hand, atol=1e-6)
    np.testing.assert_allclose(
        live.numbers()["attention"][2], trace.field("attention").values, atol=2e-5
    )
    live.click_in("places", 0.2, 0.3)  # a token of the curve, near its left end
    other = int(re.search(r"other=(\d+)", live.settled("other="))[1])  # type: ignore[index]
    readout = live.page.locator('[data-panel="places"] .un-readout').inner_text()
    found = re.search(r"at place (\d+): layer 1, head 1 −(\S+),", readout)
    assert found and int(found[1]) == other
    assert float(found[2]) == pytest.approx(0.25 * (count - 1 - other), rel=6e-3)
    assert not live.page.locator('[data-panel="clocks"]').count(), "nothing turns"
    live.page.locator('[data-testid="stMain"]').get_by_text("RoPE", exact=True).first.click()
    live.page.wait_for_function(
        """() => document.querySelector('[data-panel="places"] .un-says')?.textContent.startsWith("RoPE")"""
    )
    live.painted("the old dog bites the man")
    place = live.numbers()["place"][2]
    rope = store.load(store.find("transformer_rope"))
    np.testing.assert_allclose(
        place, encodings.place(rope, rope.trace("the old dog bites the man"))[0, 0], atol=1e-5
    )
    clocks = live.page.locator('[data-panel="clocks"] .un-readout')
    assert "1 back" in clocks.inner_text() or f"{count - 1 - other} back" in clocks.inner_text()
