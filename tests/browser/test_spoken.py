"""What a screen reader hears after an arrow key: the model's own numbers, of the panel that has the
focus."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
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
def test_what_is_on_its_way_is_said_when_it_is_there(page: Page) -> None:
    text = "There was a knock at the"
    live: Any = page("ngrams", query={"text": text})
    said = heard(live, "falloff", "Shift+ArrowLeft", "After “at”")
    p_V = np.sort(shipped("ngram").trace(text).field("probability").values[-2])[::-1]
    needed = [int((np.cumsum(p_V.astype(float)) < share).sum()) + 1 for share in (0.5, 0.9, 0.99)]
    half, size, _, ninety, _, nearly = numbers(said.replace("words,", "words"))
    assert size >= max(needed) and [half, ninety, nearly] == pytest.approx(needed, rel=0.01)


@pytest.mark.parametrize(
    "name", ["bag", *(pytest.param(n, marks=pytest.mark.slow) for n in ("inspect", "compare"))]
)
def test_every_panel_of_a_page_with_its_own_models(page: Page, name: str) -> None:
    every_panel_speaks(page(name))
