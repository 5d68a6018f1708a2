"""The boards of the page on one neuron in a real browser: what is dragged, learned and turned is
computed again here, and nothing but its end is told to the server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from engine.analysis.activations import ACTIVATIONS
from engine.lessons.neuron.one_neuron import TASKS, Neuron
from tests.bench.server import Server
from tests.browser.conftest import FRAMES

pytestmark = pytest.mark.browser
STATE = "document.querySelector('.ds').neuron"


def as_drawn(found: dict[str, Any]) -> None:
    """The numbers on the board are those of the neuron that stands there."""
    z = found["w1"] * found["x1"] + found["w2"] * found["x2"] + found["b"]
    of = ACTIVATIONS[found["f"]]
    assert found["z"] == pytest.approx(z)
    assert found["a"] == pytest.approx(float(of.of(z))), found["f"]
    assert found["slope"] == pytest.approx(float(of.slope(z)))


def test_what_is_dragged_is_computed(tab: Callable[..., Any], server: Server) -> None:
    page = tab()
    page.goto(f"{server.url}/neuron?part=AND%2C+OR%2C+XOR")
    page.wait_for_function(f"document.querySelectorAll('.ds canvas').length === 2 && {STATE}.idle")
    plane, curve = (page.locator(".ds canvas").nth(n) for n in range(2))
    box = plane.bounding_box()
    assert box["y"] <= 260 and box["height"] >= 420
    side = box["width"] - 38

    def at(x1: float, x2: float) -> tuple[float, float]:
        return (box["x"] + 30 + (x1 + 2) / 4 * side, box["y"] + 22 + (2 - x2) / 4 * side)

    def drag(start: tuple[float, float], end: tuple[float, float]) -> dict[str, Any]:
        page.mouse.move(*start)
        page.mouse.down()
        page.mouse.move(*end, steps=4)
        found = page.evaluate(STATE)
        as_drawn(found)
        page.mouse.up()
        page.wait_for_function(f"{STATE}.idle")
        return dict(page.evaluate(STATE))

    found = drag(at(1, 0.5), at(-1, 1))  # the input
    assert (found["x1"], found["x2"]) == pytest.approx((-1, 1), abs=0.02)
    assert "n_x1=-" in page.url
    found = drag(at(0.5, 1.25), at(0.5, 0.25))  # the line, which went through here
    assert found["b"] == pytest.approx(-(1.5 * 0.5 - 0.25), abs=0.05) and found["w1"] == 1.5
    length = (1.5**2 + 1) ** 0.5
    tip = [w * 1.6 / (length + 4) for w in (1.5, -1.0)]
    found = drag(at(tip[0], tip[1]), at(0.0, 0.8))  # the arrow: half its longest is a length of 4
    assert (found["w1"], found["w2"]) == pytest.approx((0, 4), abs=0.15)
    where = curve.bounding_box()
    page.mouse.click(where["x"] + 44 + (where["width"] - 54) / 2, where["y"] + 100)
    page.wait_for_function(f"{STATE}.idle && Math.abs({STATE}.z) < 0.1")
    plane.focus()
    before = page.evaluate(STATE)["x1"]
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"{STATE}.idle")
    assert page.evaluate(STATE)["x1"] == pytest.approx(before + 0.05)
    for name in ("tanh", "ReLU", "GELU"):
        page.get_by_role("button", name=name, exact=True).click()
        page.wait_for_function(f"{STATE}.idle")
        as_drawn(page.evaluate(STATE))
    assert "n_f=gelu" in page.url

    page.goto(f"{server.url}/neuron?n_task=or&n_w1=1&n_w2=-2&n_b=1&part=AND%2C+OR%2C+XOR")
    page.wait_for_function(f"document.querySelectorAll('.ds canvas').length === 2 && {STATE}.idle")
    page.get_by_role("button", name="Learn", exact=True).click()
    page.wait_for_function(f"{STATE}.steps > 300")
    page.get_by_role("button", name="Stop", exact=True).click()
    page.wait_for_function(f"{STATE}.idle")
    page.evaluate(FRAMES)
    found = page.evaluate(STATE)
    peer = Neuron((1.0, -2.0), 1.0).learned(TASKS["or"], 0.5, found["steps"])
    assert (found["w1"], found["w2"], found["b"]) == pytest.approx((*peer.w, peer.b), abs=0.006)
    page.get_by_text("4 of 4 corners right").wait_for()
