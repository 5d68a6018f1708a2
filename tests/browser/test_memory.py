"""The memory ledger on the screen adds up to the memory, and says the same as engine/analysis/ledger.py."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest

from engine.analysis import ledger
from engine.runs.store import Run, RunStore
from tests.browser.conftest import Live

pytestmark = pytest.mark.browser
MEMORY = SimpleNamespace(
    state="cell", keep="gate.forget", write=("gate.input", "candidate"), complement=False
)
TEXT = 'She said "yes"'


def said(live: Live, panel: str, part: str) -> str:
    return str(live.page.locator(f'[data-panel="{panel}"] {part}').inner_text())


def number(word: str) -> float:
    """Of a number as the page writes it: −2.2 × 10⁻⁴."""
    size, _, power = word.replace("−", "-").partition(" × 10")
    exponent = power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
    return float(f"{size}e{exponent or 0}")


@pytest.mark.parametrize("long", [False, True], ids=["short", "cut window"])
def test_rows_on_the_screen_add_up_to_the_cell(
    page: Callable[..., Live], run_of: Callable[[str], Run], long: bool
) -> None:
    model = RunStore().load(run_of("lstm"))
    units = model.config.units
    text = TEXT + " and left the town. It rained." * 10 if long else TEXT
    live = page("memory", query={"layer": 1, "unit": units // 2}).fill(text)
    live.type(" in")
    fields = live.numbers()
    axes, (moments, sources), part_TT = fields["part"]
    assert axes == ["token", "key"] and moments == sources
    total = len(model.tokens(text + " in"))
    trace = model.trace(text + " in", window=(total - len(moments), total))
    book = ledger.account(trace, MEMORY, 1, units // 2)
    np.testing.assert_allclose(np.nan_to_num(part_TT), book.part_TT, atol=2e-5)
    cell_T = trace.field("cell").values[1, :, units // 2]
    before_T = fields["before"][2]
    assert np.isfinite(before_T).all() == long
    np.testing.assert_allclose(np.nansum(part_TT, 1) + np.nan_to_num(before_T), cell_T, atol=2e-5)
    found = re.match(r"(\S+(?: × \S+)?) = ", said(live, "account", ".un-readout"))
    assert found and number(found[1]) == pytest.approx(cell_T[-1], rel=6e-3)


def test_a_click_follows_a_token_and_keys_choose_a_unit(page: Callable[..., Live]) -> None:
    live = page("memory", query={"layer": 1, "unit": 3}).fill(TEXT)
    live.click_in("account", 0.3, 0.5)
    live.settled("other=")
    assert "How the value written by" in said(live, "fading", ".un-title")
    before = said(live, "ledger", ".un-readout")
    live.page.locator(".un-chip").last.click()
    live.page.keyboard.press("ArrowDown")
    live.settled("unit=4")
    live.page.wait_for_function(
        "was => document.querySelector('[data-panel=\"ledger\"] .un-readout').textContent !== was",
        arg=before,
    )
