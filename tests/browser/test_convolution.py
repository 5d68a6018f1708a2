"""The board of the page on convolution in a real browser: what is drawn with the mouse is read here as
there, the map moves along, and a link brings it back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from engine.lessons.convolution import images, networks
from tests.bench.server import Server

pytestmark = pytest.mark.browser
STATE = """() => { const d = document.querySelector('.cv').digit; const r = d.read;
  return { ...d, read: null, side: r.side, sum: [...r.sum], p: r.p }; }"""
IDLE = "() => document.querySelector('.cv')?.digit.idle && document.querySelector('.cv').digit.read"
HANGING = """() => [document.scrollingElement, document.querySelector('[data-testid="stMain"]')].map((e) => e.scrollWidth - e.clientWidth)"""
HEAD = 20


def test_what_is_drawn_is_read(tab: Callable[..., Any], server: Server) -> None:
    page = tab()

    def state() -> dict[str, Any]:
        page.wait_for_function(IDLE)
        found: dict[str, Any] = page.evaluate(STATE)
        net = networks.shipped().network(1, 1, "max")
        cells = images.read(found["text"])
        assert cells is not None
        peer = net.read(cells[None] / images.FULL)
        np.testing.assert_allclose(found["sum"], peer.sum_NFPP.ravel(), atol=1e-9)
        np.testing.assert_allclose(found["p"], peer.probability_NK[0], atol=1e-9)
        return found

    page.goto(f"{server.url}/convolution")
    page.wait_for_function(IDLE)
    assert images.written(networks.shipped().held_out.cells[29]) == state()["text"]
    pad, opened, filters = (page.locator(".cv canvas").nth(n) for n in range(3))
    box = pad.bounding_box()
    unit = box["width"] / 10
    below = filters.bounding_box()
    assert box["y"] <= 260 and below["y"] + below["height"] - box["y"] >= 0.6 * 900 - 1
    assert page.evaluate(HANGING) == [0, 0]

    page.get_by_role("button", name="Clear", exact=True).click()
    assert set(state()["text"]) == {"0"}
    page.mouse.move(box["x"] + 5 * unit, box["y"] + HEAD + 1.6 * unit)
    page.mouse.down()
    page.mouse.move(box["x"] + 5 * unit, box["y"] + HEAD + 8.4 * unit, steps=6)
    page.mouse.up()
    drawn = state()
    assert drawn["digit"] == 1 and drawn["p"][1] > 0.9
    page.get_by_text("Read as 1").first.wait_for()
    page.wait_for_function("(text) => location.search.includes(text)", arg=drawn["text"])

    page.get_by_role("button", name="Move the drawing right").click()
    moved = state()
    cells, before = images.read(moved["text"]), images.read(drawn["text"])
    assert cells is not None and before is not None
    assert (cells == images.moved(before, 0, 1)).all()
    expect(page.locator(".cv .un-readout").first).to_contain_text(
        "56 of 56 numbers of map 1 have moved along", use_inner_text=True
    )
    pad.focus()
    page.keyboard.press("ArrowLeft")
    assert state()["text"] == drawn["text"]

    filters.focus()
    page.keyboard.press("ArrowRight")
    assert state()["filter"] == 1
    opened.focus()
    at = state()["place"]
    page.keyboard.press("ArrowDown")
    assert state()["place"] == [at[0] + 1, at[1]]
    pad.focus()
    page.keyboard.press("Enter")  # a cell more, in the middle of the kernel
    inked = state()["text"]
    assert sum(a != b for a, b in zip(inked, drawn["text"], strict=True)) == 1

    page.wait_for_function("location.search.includes('filter=2')")
    url = page.url
    again = page.context.new_page()
    again.goto(url)
    again.wait_for_function(IDLE)
    found = again.evaluate(STATE)
    assert (found["text"], found["filter"]) == (inked, 1)


@pytest.mark.parametrize(
    ("width", "scheme"), [(390, "light"), pytest.param(1280, "dark", marks=pytest.mark.slow)]
)
def test_it_fits(tab: Callable[..., Any], server: Server, width: int, scheme: str) -> None:
    page = tab(width=width, dark=scheme == "dark")
    page.goto(f"{server.url}/convolution?stride=2&padding=0&pooling=average")
    page.wait_for_function(IDLE)
    page.wait_for_function("() => document.querySelector('.cv').digit.read.side === 3")
    assert page.evaluate(HANGING) == [0, 0]
    dark = page.evaluate("document.querySelector('.cv').classList.contains('un-dark')")
    assert dark == (scheme == "dark")
    for label in page.locator(".cv canvas").evaluate_all(
        "(all) => all.map((c) => c.getAttribute('aria-label'))"
    ):
        assert len(label) > 40
    page.get_by_role("button", name="Slide", exact=True).click()
    page.wait_for_function("document.querySelector('.cv').digit.place.join() === '2,2'")
