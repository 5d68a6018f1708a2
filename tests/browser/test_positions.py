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
    axes, labels, values = live.numbers()["place"]
    assert axes == ["layer", "head", "query", "key"] and labels[2] == list(trace.tokens)
    count = len(trace.tokens)
    by_hand = [
        [
            [-(2.0 ** (-2 * (h + 1))) * (q - k) if k <= q else -np.inf for k in range(count)]
            for q in range(count)
        ]
        for h in range(4)
    ]
    np.testing.assert_allclose(values[0], by_hand, atol=1e-6)
    np.testing.assert_allclose(
        live.numbers()["attention"][2], trace.field("attention").values, atol=2e-5
    )
    live.click_in("places", 0.2, 0.3)  # a token of the curve, near its left end
    other = int(re.search(r"other=(\d+)", live.settled("other="))[1])  # type: ignore[index]
    readout = live.page.locator('[data-panel="places"] .un-readout').inner_text()
    found = re.search(r"(\d+) back: head 1 −(\S+),", readout)
    assert (
        found
        and int(found[1]) == count - 1 - other
        and float(found[2]) == pytest.approx(0.25 * (count - 1 - other), rel=6e-3)
    )
    live.page.locator('[data-testid="stMain"]').get_by_text("RoPE", exact=True).first.click()
    live.page.wait_for_function(
        """() => document.querySelector('[data-panel="places"] .un-says')?.textContent.startsWith("RoPE")"""
    )
    live.painted("the old dog bites the man")
    place = live.numbers()["place"][2]
    rope = store.load(store.find("transformer_rope"))
    np.testing.assert_allclose(
        place, encodings.place(rope, rope.trace("the old dog bites the man")).values, atol=1e-5
    )
