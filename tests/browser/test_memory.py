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
    axes, (moments, sources), part_TS = fields["ledger"]
    assert axes == ["token", "source"] and len(sources) == len(moments) + long
    assert (sources[0] == "before") == long
    cell_T = fields["cell"][2][1, :, units // 2]
    np.testing.assert_allclose(part_TS.sum(1), cell_T, atol=1e-5)
    total = len(model.tokens(text + " in"))
    trace = model.trace(text + " in", window=(total - len(moments), total))
    np.testing.assert_allclose(
        part_TS, ledger.account(trace, MEMORY, 1, units // 2).grid().values, atol=2e-5
    )
    keep_TU = ledger.numbers(trace, MEMORY)[0][1]
    here = ledger.average(keep_TU if trace.offset else keep_TU[1:])
    np.testing.assert_allclose(fields["half_life"][2], here.tokens, rtol=1e-3)
    found = re.fullmatch(r"sum (\S+) = c_T (\S+)", said(live, "account", ".un-total"))
    assert (
        found and found[1] == found[2] and number(found[1]) == pytest.approx(cell_T[-1], rel=6e-3)
    )
    shown = [
        number(value.inner_text())
        for value in live.page.locator('[data-panel="account"] .un-row-value').all()
    ]
    assert sum(shown) == pytest.approx(cell_T[-1], abs=0.02)  # nine rounded numbers


def test_a_click_follows_a_token_and_chooses_a_unit(page: Callable[..., Live]) -> None:
    live = page("memory").fill(TEXT)
    row = live.page.locator('[data-panel="account"] .un-part').nth(1)
    k = row.get_attribute("data-k")
    row.click()
    live.settled(f"other={k}")
    before = said(live, "half", ".un-readout")
    live.click_in("half", 0.3, 0.5)
    live.settled("unit=")
    assert said(live, "half", ".un-readout") != before
    place = int(re.search(r"place (\d+) of", said(live, "half", ".un-readout"))[1])  # type: ignore[index]
    live.page.keyboard.press("Escape")
    live.click_in("half", 0.3, 0.5)
    live.page.keyboard.press("ArrowDown")
    live.page.wait_for_function(
        'document.querySelector(\'[data-panel="half"] .un-readout\').textContent.includes("place'
        f' {place + 1} of")'
    )
