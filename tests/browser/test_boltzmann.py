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

MAIN = ".bm"


def now(page: Any) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate(f"document.querySelector('{MAIN}').boltzmann")
    return found


def opened(page: Any, address: str) -> dict[str, Any]:
    page.goto(address)
    page.wait_for_selector(f"{MAIN}[data-step]")
    return now(page)


@pytest.mark.slow
def test_it_learns_goes_back_and_draws(
    tab: Callable[..., Any], server: Server, tmp_path: Path
) -> None:
    page, address = tab(), f"{server.url}/boltzmann"
    first = opened(page, address)
    comes_first(page.locator(f"{MAIN} canvas"))
    page.get_by_role("button", name="Train", exact=True).click()
    page.wait_for_function(f"Number(document.querySelector('{MAIN}').dataset.step) > 150")
    page.get_by_role("button", name="Pause", exact=True).click()
    then = now(page)
    assert then["here"]["train"] > first["here"]["train"]
    page.locator(f"{MAIN} .un-wide-slider").evaluate(
        "(node) => { node.value = 100; node.dispatchEvent(new Event('input')); }"
    )
    page.wait_for_function(f"document.querySelector('{MAIN}').dataset.step === '100'")
    back = now(page)
    n, m = 16, 12
    p = np.array(back["p"])
    own = Machine(p[: n * m].reshape(n, m), p[n * m : -m], p[-m:])
    assert back["here"]["train"] == pytest.approx(own.likelihood(np.array(back["rows"], float)))
    page.get_by_role("button", name="Draw h", exact=True).click()
    parts = own.energy(np.array(now(page)["v"], float), np.array(now(page)["h"], float))
    told = page.locator(f"{MAIN} .bm-energy").inner_text().replace("−", "-")
    assert f"= {float(f'{sum(parts):.3g}'):.3g}" in told or f"{sum(parts):.2f}" in told
    page.locator(f"{MAIN} canvas").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert now(page)["v"][1] != back["v"][1]
    reads(page.locator(f"{MAIN} .un-readout"), "Given the hidden units")
    page.wait_for_function("location.search.includes('bm_steps=100')")
    again = opened(page, page.evaluate("location.href"))
    np.testing.assert_allclose(again["p"], back["p"], rtol=1e-9)
    is_saved(page, "boltzmannboard", "value", tmp_path)


@pytest.mark.slow
def test_a_pattern_of_ones_own(tab: Callable[..., Any], server: Server) -> None:
    page = tab()
    opened(page, f"{server.url}/boltzmann?bm_patterns=own")
    reads(page.locator(f"{MAIN} .un-readout"), "press “Learn this one”")
    box, cell = page.locator(f"{MAIN} canvas").bounding_box(), now(page)["boxes"]["visible"]
    for k in (0, 5, 10, 15):
        x, y = (
            cell["x"] + (k % 4 + 0.5) * cell["w"] / 4,
            cell["y"] + (k // 4 + 0.5) * cell["h"] / 4,
        )
        page.mouse.click(box["x"] + x, box["y"] + y)
    page.get_by_role("button", name="Learn this one").click()
    wanted = [float(k in (0, 5, 10, 15)) for k in range(16)]
    assert now(page)["rows"] == [wanted]
    page.get_by_role("button", name="Train", exact=True).click()
    page.wait_for_function(f"document.querySelector('{MAIN}').boltzmann.here.mass > 0.5")
