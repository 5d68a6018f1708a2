"""Back in a real browser undoes what was chosen, and then leaves the page: of a widget, of a board, and of
both together; a page that is opened writes no address."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.bench.server import Server
from tests.browser.conftest import WAIT_MS, rested


@pytest.mark.slow  # most of a minute: Units tests every unit first
def test_back_undoes_a_number_and_then_leaves(tab: Callable[..., Any], server: Server) -> None:
    page = tab()
    page.set_default_timeout(3 * WAIT_MS)
    said = "location.search"

    def come(name: str, shown: str, first: str) -> Callable[[Callable[[], None], str], None]:
        """Open a page that shows a number; returns what changes it, sees it in the address, and undoes it."""
        page.goto(f"{server.url}/{name}")
        page.wait_for_function(f"{shown} === {first}")
        rested(page)
        assert page.evaluate(said) == ""

        def changed_and_undone(change: Callable[[], None], part: str) -> None:
            change()
            page.wait_for_function("(part) => location.search.includes(part)", arg=part)
            rested(page)
            page.evaluate("history.back()")
            page.wait_for_function(f"{shown} === {first} && {said} === ''")
            rested(page)
            assert page.evaluate(said) == ""

        return changed_and_undone

    def fill(label: str, value: str) -> Callable[[], None]:
        def typed() -> None:
            page.get_by_label(label, exact=True).first.fill(value)
            page.keyboard.press("Enter")

        return typed

    come("units", "document.querySelector('[aria-label=Unit]')?.value", "'69'")(
        fill("Unit", "12"), "unit=12"
    )
    f = "document.querySelector('[data-board=neuron]')?.neuron?.f"
    relu = page.locator("[data-board=neuron] button", has_text="ReLU").first
    come("neuron", f, "'sigmoid'")(relu.click, "n_f=relu")
    image = "document.querySelector('[aria-label=\"Held-out digit\"]')?.value"
    come("convolution", image, "'30'")(fill("Held-out digit", "12"), "image=12")
    many = "document.querySelector('[data-board=softmax]')?.softmax?.z.length"
    come("softmax", many, "4")(page.get_by_role("button", name="+ class").click, "softmax.s_z=")
    start = "document.querySelector('[data-board=race]')?.race?.start[0]"
    race = come("optimisers", start, "-2.8")
    canvas = page.locator("[data-board=race] canvas").first
    race(lambda: canvas.press("ArrowRight"), "x=")
    steps = page.evaluate("history.length")
    race(lambda: canvas.click(position={"x": 90, "y": 90}), "race.y=")
    assert page.evaluate("history.length") == steps, "a place is two numbers, and one step back"
    page.evaluate("history.back()")
    page.wait_for_function("location.pathname === '/softmax'")
