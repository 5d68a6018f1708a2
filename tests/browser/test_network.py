"""The small network in a real browser: it learns, goes back and on, takes points by mouse.  That
its steps are torch's: tests/js/network.test.js."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.bench.server import Server
from tests.browser.conftest import WIDE, reads
from tests.browser.test_boards import is_saved
from tests.browser.training_board import TrainingBoard

MAIN = ".st-key-part-network .nw"
MOST = 260  # pixels above the picture


@pytest.fixture
def page(tab: Callable[..., Any], server: Server) -> Any:
    made = tab()
    made.address = f"{server.url}/network"
    return made


def board(page: Any) -> TrainingBoard:
    return TrainingBoard(page, MAIN, "network")


def opened(page: Any, query: str = "") -> dict[str, Any]:
    return board(page).open(page.address + query)


def now(page: Any) -> dict[str, Any]:
    return board(page).now()


@pytest.mark.slow
def test_it_learns_goes_back_and_on(page: Any, tmp_path: Path) -> None:
    first = opened(page)
    box = page.locator(f"{MAIN} canvas").bounding_box()
    assert box["y"] <= MOST and box["height"] >= 540 and box["width"] > 900
    assert first["step"] == 0 and first["found"]["train"]["right"] < 80
    then = board(page).train(400)
    assert then["found"]["train"]["loss"] < 0.3 < first["found"]["train"]["loss"]
    back = board(page).rewind(200)
    assert back["end"] == then["step"] and back["p"] != then["p"]
    page.locator(f"{MAIN} canvas").focus()
    page.keyboard.press("ArrowLeft")
    reads(page.locator(f"{MAIN} .un-readout"), "b₁ = tanh(")
    page.wait_for_function("location.search.includes('net_steps=200')")
    again = opened(page, page.evaluate("location.search"))
    np.testing.assert_allclose(again["p"], back["p"], rtol=1e-12)
    is_saved(page, "networkboard", "value", tmp_path)


@pytest.mark.slow
def test_layers_and_points_by_mouse(page: Any) -> None:
    opened(page)
    page.get_by_title("One hidden layer more").click()
    page.get_by_title("One unit more").nth(2).click()
    assert now(page)["settings"]["units"] == [4, 3, 4]
    page.get_by_title("One unit less").first.click()
    assert now(page)["settings"]["units"] == [3, 3, 4]
    before = now(page)
    spot = page.evaluate(
        f"""() => {{ const [a, b] = [[1, 2], [2, 2]].map(([layer, unit]) => document.querySelector("{MAIN}").network
          .nodes.find((n) => n.layer === layer && n.unit === unit));
          return [(a.x + a.w + b.x) / 2, (a.y + b.y + a.h) / 2]; }}"""
    )
    box = page.locator(f"{MAIN} canvas").bounding_box()
    page.mouse.move(box["x"] + spot[0], box["y"] + spot[1])
    reads(page.locator(f"{MAIN} .un-readout"), "The weight from a₃ to b₃")
    page.mouse.down()
    page.mouse.move(box["x"] + spot[0], box["y"] + spot[1] - 40)
    page.mouse.up()
    moved = np.array(now(page)["p"]) - before["p"]  # a weight of the second layer, behind 3 units
    assert abs(moved[3 * 3 + 2 * 3 + 2] - 1) < 0.05 and np.count_nonzero(moved) == 1
    page.locator(f"{MAIN} summary", has_text="More").click()
    page.get_by_role("button", name="No points at all").click()
    assert page.get_by_role("button", name="Train", exact=True).is_disabled()
    page.keyboard.press("Escape")
    plane, box = now(page)["plane"], page.locator(f"{MAIN} canvas").bounding_box()

    def click(x: float, y: float) -> None:
        left, top = (box[axis] + plane[axis] for axis in "xy")
        page.mouse.click(left + x * plane["s"], top + y * plane["s"])

    for brush, side in (("Adds blue", 0.25), ("Adds orange", 0.75)):
        page.get_by_label("A click").select_option(brush)
        for n in range(4):
            click(side, 0.2 + 0.2 * n)
    found = now(page)
    assert found["data"]["t"] == [0] * 4 + [1] * 4 and found["settings"]["points"] == "own"
    np.testing.assert_allclose(found["data"]["x"][::2], [-0.65] * 4 + [0.65] * 4, atol=0.01)
    page.get_by_role("button", name="Train", exact=True).click()
    page.wait_for_function(f"Number(document.querySelector('{MAIN}').dataset.step) > 300")
    page.get_by_role("button", name="Pause", exact=True).click()
    assert now(page)["found"]["train"]["right"] == 8
    page.get_by_label("A click").select_option("Takes away")
    click(0.25, 0.2)
    assert now(page)["data"]["t"] == [0] * 3 + [1] * 4
    page.wait_for_function("location.search.includes('net_own=')")
    again = opened(page, page.evaluate("location.search"))
    assert again["data"] == now(page)["data"] and again["settings"]["units"] == [3, 3, 4]
    # on a phone, with as many layers and units as there can be
    page.set_viewport_size({"width": 390, "height": 900})
    opened(page, "?net_units=8-8-8-8&net_steps=50")
    assert page.evaluate(WIDE) == [0, 0]
    edges = page.locator(f"{MAIN} :is(button, select)").evaluate_all(
        "(all) => all.map((e) => e.getBoundingClientRect().right)"
    )
    assert max(edges) <= 390
