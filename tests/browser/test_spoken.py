"""What a screen reader hears after an arrow key: the model's own numbers, of the panel that has the
focus."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import Live
from tests.browser.test_every_page import every_panel_speaks
from tests.conftest import shipped

pytestmark = pytest.mark.browser
Page = Callable[..., Live]


def heard(live: Any, panel: str, key: str, part: str) -> str:
    """What is said once it holds `part`."""
    live.page.locator(f'[data-panel="{panel}"] canvas').first.focus()
    live.page.keyboard.press(key)
    live.page.wait_for_function(
        "(part) => document.querySelector('.un-spoken').textContent.includes(part)", arg=part
    )
    return str(live.page.inner_text(".un-spoken"))


def numbers(words: str) -> list[float]:
    return [
        float(n.replace("−", "-").replace(",", ""))
        for n in re.findall(r"(?<= )−?[\d.,]*\d(?:e−\d+)?", words)
    ]


def test_of_a_unit_all_gates(page: Page) -> None:
    text = "She said yes"
    live: Any = page("lstm", query={"text": text, "layer": 1, "unit": 69})
    said = heard(live, "gates", "ArrowLeft", "“e”, layer 2, unit 69: ")
    trace = shipped("lstm").trace(text)
    *_, said = said.partition(": ")
    named = dict(part.rsplit(" ", 1) for part in said.rstrip(".").split(", "))
    assert {"input", "forget", "output"} <= set(named)
    for gate in ("input", "forget", "output"):
        expected = trace.field(f"gate.{gate}").values[1, -2, 69]
        assert numbers(f" {named[gate]}") == pytest.approx([expected], rel=0.01)


@pytest.mark.slow
def test_of_a_declared_picture_what_is_told_at_the_token(page: Page) -> None:
    text = "There was a knock at the"
    live: Any = page("ngrams", query={"text": text})
    said = heard(live, "orders", "Shift+ArrowLeft", "After “at”")
    trace = shipped("ngram").trace(text)
    mass = trace.field("mass")
    for order, share in zip(mass.axes[-1].labels, mass.values[-2].tolist(), strict=True):
        if order.isdigit() and share > 0.01:
            assert f"order {order} {100 * share:.3g} %" in said


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) for n in ("bag", "inspect", "compare")]
)
def test_every_panel_of_a_page_with_its_own_models(page: Page, name: str) -> None:
    every_panel_speaks(page(name))
