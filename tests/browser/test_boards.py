"""Every board can be taken away: its picture as PNG and SVG, its numbers as a table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pytest
from playwright.sync_api import expect

from tests.bench.server import Server
from tests.browser.conftest import WAIT_MS, rested

pytestmark = pytest.mark.browser
BOARDS = {  # what is on them, in some row of the table
    "neuron": ("neuron", "sum z"),
    "softmax": ("softmax", "probability p"),
    "digit": ("convolution", "value"),
    "race": ("optimisers", "loss"),
    "networkboard": ("network", "value"),
}


SOME = ("networkboard",)  # the others with `make bench`


@pytest.mark.parametrize(
    "board", [n if n in SOME else pytest.param(n, marks=pytest.mark.slow) for n in BOARDS]
)
def test_a_board_is_saved(
    tab: Callable[..., Any], server: Server, board: str, tmp_path: Path
) -> None:
    address, column = BOARDS[board]
    page = tab()
    page.goto(f"{server.url}/{address}")
    root = page.locator(f'[data-board="{board}"]')
    found: dict[str, Path] = {}
    for kind in ("png", "svg", "csv"):
        root.locator(".un-save summary").click()
        with page.expect_download() as waiting:
            root.locator(f'[data-format="{kind}"]').click()
        found[kind] = tmp_path / waiting.value.suggested_filename
        assert found[kind].suffix == f".{kind}"
        waiting.value.save_as(found[kind])
    data = found["png"].read_bytes()
    wide = int.from_bytes(data[16:20], "big")
    assert data.startswith(b"\x89PNG") and wide >= 1_000
    tree = ElementTree.fromstring(found["svg"].read_bytes())
    names = [node.tag.split("}")[1] for node in tree.iter()]
    assert names.count("text") > 5 and names[1:3] == ["title", "desc"]
    assert wide == pytest.approx(2 * float(tree.get("width", 0)), abs=2)
    table = pd.read_csv(found["csv"])
    assert column in table and len(table) > 3
    root.get_by_role("button", name="Table").click()
    shown = root.locator(".un-table tr")
    expect(shown).to_have_count(min(len(table), 200) + 1)
    root.get_by_role("button", name="Table").click()
    expect(root.locator(".un-table")).to_have_count(0)


@pytest.mark.slow
def test_back_undoes_what_was_chosen(tab: Callable[..., Any], server: Server) -> None:
    page = tab()
    many = "document.querySelector('[data-board=softmax]')?.softmax?.z.length"
    page.goto(f"{server.url}/softmax")
    page.wait_for_function(f"{many} === 4")
    for count in (5, 6):
        page.get_by_role("button", name="+ class").click()
        commas = "new URL(location).searchParams.get('softmax.s_z')?.split(',').length"
        page.wait_for_function(f"{many} === {count} && {commas} === {count}")
        rested(page)
    page.evaluate("history.back()")
    page.wait_for_function(f"{many} === 5")


@pytest.mark.slow  # most of a minute: Units tests every unit first
def test_back_undoes_a_number_and_then_leaves(tab: Callable[..., Any], server: Server) -> None:
    """Of a widget, of a board, and of both together; a page that is opened writes no address."""
    page = tab()
    page.set_default_timeout(3 * WAIT_MS)  # Units tests every unit first
    start = "document.querySelector('[data-board=race]')?.race?.start[0]"
    image = "document.querySelector('[aria-label=\"Held-out digit\"]')?.value"
    unit = "document.querySelector('[aria-label=Unit]')?.value"
    window = "document.querySelector('[aria-label=\"M: words on each side\"]')?.value"
    f = "document.querySelector('[data-board=neuron]')?.neuron?.f"

    def come(name: str, shown: str, first: str) -> None:
        page.goto(f"{server.url}/{name}")
        page.wait_for_function(f"{shown} === {first}")
        rested(page)
        assert page.evaluate("location.search") == ""

    def address(part: str) -> None:
        page.wait_for_function("(part) => location.search.includes(part)", arg=part)
        rested(page)

    def undone(shown: str, first: str) -> None:
        page.evaluate("history.back()")
        page.wait_for_function(f"{shown} === {first} && location.search === ''")
        rested(page)
        assert page.evaluate("location.search") == ""

    come("units", unit, "'69'")
    page.get_by_label("Unit", exact=True).fill("12")
    page.keyboard.press("Enter")
    address("unit=12")
    undone(unit, "'69'")
    ends = page.get_by_role("slider", name="The phrase: from token … to token …")
    for end, said in ((ends.first, "?from=11"), (ends.last, "?from=11&to=14")):
        end.press("ArrowRight")
        address(said)
    page.evaluate("history.back()")
    page.wait_for_function("location.search === '?from=11'")
    rested(page)
    at = "document.querySelector('input[aria-label^=\"The phrase\"]')?.value"
    undone(at, "'10'")
    come("word2vec", "!!document.querySelector('[aria-label=\"Text to learn from\"]')", "true")
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("M: words on each side").fill("3")
    page.keyboard.press("Enter")
    address("w2v_window=3")
    undone(window, "'2'")
    come("neuron", f, "'sigmoid'")
    page.locator("[data-board=neuron] button", has_text="ReLU").first.click()
    address("n_f=relu")
    undone(f, "'sigmoid'")
    come("convolution", image, "'30'")
    page.get_by_label("Held-out digit").first.fill("12")
    page.keyboard.press("Enter")
    address("image=12")
    undone(image, "'30'")
    come("optimisers", start, "-2.8")
    page.locator("[data-board=race] canvas").first.press("ArrowRight")
    address("x=")
    undone(start, "-2.8")
    # a place is two numbers, and one step back
    steps = page.evaluate("history.length")
    page.locator("[data-board=race] canvas").first.click(position={"x": 90, "y": 90})
    address("race.y=")
    assert page.evaluate("history.length") == steps
    undone(start, "-2.8")
    page.evaluate("history.back()")
    page.wait_for_function("location.pathname === '/convolution'")
