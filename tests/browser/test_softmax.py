"""The board of the page on softmax in a real browser: logits are dragged, a target is chosen, a loss
is descended, and all of it is computed again here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.lessons.softmax.softmax_loss import Logits
from engine.views.base import number
from tests.bench.server import Server
from tests.browser.conftest import FRAMES

pytestmark = pytest.mark.browser
STATE = "document.querySelector('.ds')?.softmax"


def as_drawn(found: dict[str, Any]) -> Logits:
    one = Logits(tuple(found["z"]), found["target"], found["t"])
    np.testing.assert_allclose(found["p"], one.p, atol=1e-9)
    for kind in ("entropy", "squared"):
        assert found[kind] == pytest.approx(one.loss(kind)), kind
    return one


def test_what_is_dragged_is_computed(tab: Callable[..., Any], server: Server) -> None:
    page = tab()
    page.goto(f"{server.url}/softmax")
    page.wait_for_function(f"{STATE}?.idle && {STATE}.columns")
    bars = page.locator(".ds canvas").first
    box = bars.bounding_box()
    assert box["y"] <= 260 and box["height"] >= 420
    columns = page.evaluate(STATE)["columns"]

    def middle(k: int) -> float:
        return float(box["x"] + columns[k]["x"] + columns[k]["w"] / 2)

    zero = box["y"] + 22 + 111
    page.mouse.move(middle(1), zero - 11)
    page.mouse.down()
    page.mouse.move(middle(1), zero - 55.5, steps=4)  # a logit of 5
    as_drawn(page.evaluate(STATE))
    page.mouse.up()
    page.wait_for_function(f"{STATE}.idle")
    found = page.evaluate(STATE)
    assert found["z"][1] == pytest.approx(5, abs=0.1) and "s_z=2%2C5" in page.url.replace(
        ",", "%2C"
    )
    page.mouse.click(middle(2), box["y"] + box["height"] - 40)
    page.wait_for_function(f"{STATE}.idle && {STATE}.target === 2")
    page.get_by_text("The target, class 3, has").wait_for()
    # the part below follows: the loss of what stands on the board now
    one = as_drawn(page.evaluate(STATE))
    pulled = number(-float(one.gradient("entropy")[2]))
    page.get_by_text(f"Cross-entropy pulls at its logit with {pulled}").wait_for()
    bars.focus()
    for key in ("ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    page.wait_for_function(f"{STATE}.idle && {STATE}.target === 0")
    assert page.evaluate(STATE)["z"][0] == pytest.approx(2.1)
    page.get_by_role("button", name="+ class").click()
    page.wait_for_function(f"{STATE}.idle && {STATE}.z.length === 5")

    page.get_by_role("button", name="Confidently wrong").click()
    page.wait_for_function(f"{STATE}.idle && {STATE}.z[0] === -6")
    start = as_drawn(page.evaluate(STATE))
    page.get_by_role("button", name="Cross-entropy", exact=True).click()
    page.wait_for_function(f"{STATE}.idle && {STATE}.p[0] >= 0.895")
    page.evaluate(FRAMES)
    found = page.evaluate(STATE)
    peer = start.learned("entropy", found["steps"])
    np.testing.assert_allclose(found["z"], peer.z, atol=0.006)
