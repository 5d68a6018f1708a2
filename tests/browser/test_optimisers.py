"""The boards of the page on optimisers in a real browser: the start of the race and the schedule are
dragged, and what is drawn then is computed again here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from engine.lessons.optimisers import race
from engine.lessons.optimisers.race import Course
from engine.lessons.optimisers.surfaces import SURFACES
from pages.ui import train
from tests.bench.server import Server

pytestmark = pytest.mark.browser
BOARD = "() => document.querySelectorAll('.ds')[{n}].{name}"


def test_what_is_dragged_is_computed(tab: Callable[..., Any], server: Server) -> None:
    page = tab(height=2000)
    page.goto(f"{server.url}/optimisers")
    page.wait_for_function("document.querySelectorAll('.ds canvas').length === 1")
    page.wait_for_function("document.querySelector('.ds').dataset.step === '150'")
    canvas = page.locator(".ds canvas").first
    box = canvas.bounding_box()
    assert box["y"] <= 260 and box["height"] >= 420 and box["width"] > 900

    def there(n: int, name: str) -> Any:
        return page.evaluate(BOARD.format(n=n, name=name))

    surface = SURFACES["valley"]
    page.mouse.move(box["x"] + 100, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 300, box["y"] + 120, steps=6)
    page.mouse.up()
    page.wait_for_function(
        "() => { const r = document.querySelector('.ds').race;"
        " return r.idle && r.paths[0].w[0].join() === r.start.join(); }"
    )
    found = there(0, "race")
    start = tuple(found["start"])
    assert start != surface.start
    for path, racer in zip(found["paths"], ("plain", "sgd", "rmsprop", "adam"), strict=True):
        peer = race.run(surface, race.racers()[racer], surface.rates[racer], Course(start))
        np.testing.assert_allclose(path["w"], peer.w, rtol=1e-3, atol=1e-6)
    page.keyboard.press("ArrowLeft")  # the canvas has the focus
    canvas.focus()
    page.get_by_role("button", name="‹ Back").first.click()
    page.wait_for_function("document.querySelector('.ds').dataset.step === '149'")

    part = page.locator(".st-key-part-learning-rate")
    for label, value in (("Warm-up, steps", "110"), ("Highest rate", "0.0044")):
        part.get_by_label(label, exact=True).fill(value)
        page.keyboard.press("Enter")
        expect(part).to_contain_text("0.0044" if value == "0.0044" else "at step 110")
    asked = train.joined({"schedule": "cosine", "rate": 0.0044, "warmup": 110})
    page.locator(f'a[href*="{asked.replace(":", "%3A").replace(",", "%2C")}"]').first.click()
    page.wait_for_url("**/training**")
    page.get_by_text("Changed:").wait_for()
    expect(page.get_by_text("warmup 110 (default 100)")).to_have_count(1)
