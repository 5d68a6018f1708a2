"""The pages on gradients: what the browser draws is what Python computes, with every key."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import expect

from engine.analysis import backpropagation
from engine.analysis.measure import surprisal
from engine.models.abilities import able
from engine.models.recurrent import RecurrentModel
from tests.browser.conftest import Live
from tests.conftest import shipped

pytestmark = pytest.mark.browser
Page = Callable[..., Live]
TEXT = "the keys were lost"


def cells(live: Live, name: str) -> list[list[str]]:
    """The table of a panel."""
    panel = live.page.locator(f'[data-panel="{name}"]')
    panel.get_by_role("button", name="Table").click()
    rows = panel.locator(".un-table tr").all()
    return [[cell.inner_text() for cell in row.locator("td").all()] for row in rows[1:]]


def test_the_triangle_is_that_of_python(page: Page) -> None:
    live = page("bptt").fill(TEXT[:9])
    for n in range(10, len(TEXT) + 1):  # key by key: only new rows are sent
        live.fill(TEXT[:n])
    model = able(shipped("rnn"), RecurrentModel)
    tokens = model.tokens(TEXT)
    want = backpropagation.rows(model, tokens).state_LQK[0]
    found = cells(live, "triangle")  # a row for each loss: powers of ten
    assert len(found) == len(tokens)
    for q, row in enumerate(found[1:], 1):
        made = [float(number.replace(" × 10", "e").translate(POWER)) for number in row[1 : q + 1]]
        assert made == pytest.approx(np.log10(want[q - 1, :q]).tolist(), abs=0.01)
    kept = sum(q - (q - 1) // 8 * 8 for q in range(1, len(tokens)))
    panel = live.page.locator('[data-panel="triangle"]')
    panel.get_by_role("button", name="Table").click()
    panel.locator("input[type=range]").fill("8")  # walls
    expect(panel.locator(".un-search-label").first).to_contain_text(
        f"{kept} of {len(tokens) * (len(tokens) - 1) // 2} terms left"
    )


POWER = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")


def test_the_gradient_flows_back_step_by_step(page: Page) -> None:
    live = page("bptt").fill(TEXT)
    bits = surprisal(shipped("rnn").trace(TEXT))[1:]
    rows = cells(live, "unrolled")  # beside each state the loss of the next token
    assert [float(row[-1]) for row in rows] == pytest.approx(bits.tolist(), rel=0.01)
    live.page.locator('[data-panel="unrolled"]').get_by_role("button", name="Table").click()
    panel = live.page.locator('[data-panel="unrolled"]')
    for steps in ("2 steps back", "3 steps back"):
        panel.get_by_role("button", name="Next ›").click()
        live.page.wait_for_function(
            "says => document.querySelector('[data-panel=\"unrolled\"] .un-readout')"
            ".textContent.includes(says)",
            arg=steps,
        )
    expect(live.page.locator('[data-panel="decay"] .un-readout').first).to_contain_text(
        "one step back", use_inner_text=True
    )
