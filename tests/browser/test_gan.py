"""Adversarial nets in a real browser: they learn, go back, and take points by mouse.  That their steps are torch's:
tests/js/adversarial.test.js."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.bench.server import Server
from tests.browser.conftest import reads
from tests.browser.test_boards import comes_first, is_saved
from tests.browser.training_board import TrainingBoard

MAIN = ".gn"


@pytest.mark.slow
def test_they_learn_and_go_back(tab: Callable[..., Any], server: Server, tmp_path: Path) -> None:
    page = tab()
    board = TrainingBoard(page, MAIN, "gan")
    first = board.open(f"{server.url}/gan?gan_points=two&gan_hidden=8")
    box = comes_first(page.locator(f"{MAIN} canvas"))
    then = board.train(120)
    assert then["here"]["js"] < first["here"]["js"]
    back = board.rewind(60)
    square = back["square"]
    page.mouse.click(
        box["x"] + square["x"] + square["s"] * 0.75, box["y"] + square["y"] + square["s"] * 0.25
    )
    z = board.now()["z"]
    assert z[0] == pytest.approx(1.1, abs=0.05) and z[1] == pytest.approx(1.1, abs=0.05)
    reads(page.locator(f"{MAIN} .un-readout"), "becomes")
    page.locator(f"{MAIN} canvas").focus()
    page.keyboard.press("ArrowLeft")
    assert board.now()["z"][0] == pytest.approx(z[0] - 0.1)
    page.wait_for_function("location.search.includes('gan_steps=60')")
    again = board.open(page.evaluate("location.href"))
    np.testing.assert_allclose(again["G"], back["G"], rtol=1e-9)
    is_saved(page, "ganboard", "value", tmp_path)


@pytest.mark.slow
def test_points_of_ones_own(tab: Callable[..., Any], server: Server) -> None:
    page = tab()
    board = TrainingBoard(page, MAIN, "gan")
    board.open(f"{server.url}/gan?gan_points=own")
    reads(page.locator(f"{MAIN} .un-readout"), "Click on the plane")
    box, plane = page.locator(f"{MAIN} canvas").bounding_box(), board.now()["plane"]
    page.mouse.click(box["x"] + plane["x"] + plane["s"] / 2, box["y"] + plane["y"] + plane["s"] / 4)
    ((x, y),) = board.now()["settings"]["own"]
    assert x == pytest.approx(0, abs=0.02) and y == pytest.approx(0.8, abs=0.02)
    page.get_by_role("button", name="Step ›", exact=True).click()
    assert board.now()["step"] == 1
