"""The Boltzmann machine in a real browser: it learns, goes back, draws, and takes patterns by mouse.  That its
steps are torch's: tests/js/boltzmann.test.js."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.lessons.boltzmann.machine import Machine
from tests.bench.server import Server
from tests.browser.conftest import reads
from tests.browser.test_boards import comes_first, is_saved
from tests.browser.training_board import TrainingBoard

MAIN = ".bm"


@pytest.mark.slow
def test_it_learns_goes_back_and_draws(
    tab: Callable[..., Any], server: Server, tmp_path: Path
) -> None:
    page = tab()
    board = TrainingBoard(page, MAIN, "boltzmann")
    first = board.open(f"{server.url}/boltzmann")
    comes_first(page.locator(f"{MAIN} canvas"))
    then = board.train(150)
    assert then["here"]["train"] > first["here"]["train"]
    back = board.rewind(100)
    n, m = 16, 12
    p = np.array(back["p"])
    own = Machine(p[: n * m].reshape(n, m), p[n * m : -m], p[-m:])
    assert back["here"]["train"] == pytest.approx(own.likelihood(np.array(back["rows"], float)))
    page.get_by_role("button", name="Draw h", exact=True).click()
    parts = own.energy(np.array(board.now()["v"], float), np.array(board.now()["h"], float))
    told = page.locator(f"{MAIN} .bm-energy").inner_text().replace("−", "-")
    assert f"= {float(f'{sum(parts):.3g}'):.3g}" in told or f"{sum(parts):.2f}" in told
    page.locator(f"{MAIN} canvas").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert board.now()["v"][1] != back["v"][1]
    reads(page.locator(f"{MAIN} .un-readout"), "Given the hidden units")
    page.wait_for_function("location.search.includes('bm_steps=100')")
    again = board.open(page.evaluate("location.href"))
    np.testing.assert_allclose(again["p"], back["p"], rtol=1e-9)
    is_saved(page, "boltzmannboard", "value", tmp_path)


@pytest.mark.slow
def test_a_pattern_of_ones_own(tab: Callable[..., Any], server: Server) -> None:
    page = tab()
    board = TrainingBoard(page, MAIN, "boltzmann")
    board.open(f"{server.url}/boltzmann?bm_patterns=own")
    reads(page.locator(f"{MAIN} .un-readout"), "press “Learn this one”")
    box, cell = page.locator(f"{MAIN} canvas").bounding_box(), board.now()["boxes"]["visible"]
    for k in (0, 5, 10, 15):
        x, y = (
            cell["x"] + (k % 4 + 0.5) * cell["w"] / 4,
            cell["y"] + (k // 4 + 0.5) * cell["h"] / 4,
        )
        page.mouse.click(box["x"] + x, box["y"] + y)
    page.get_by_role("button", name="Learn this one").click()
    wanted = [float(k in (0, 5, 10, 15)) for k in range(16)]
    assert board.now()["rows"] == [wanted]
    page.get_by_role("button", name="Train", exact=True).click()
    page.wait_for_function(f"document.querySelector('{MAIN}').boltzmann.here.mass > 0.5")
