"""The pages on gradients: what the browser draws is what Python computes, with every key."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import expect

from engine.analysis import backpropagation, backpropagation_sums, jacobians
from engine.analysis.measure import surprisal
from engine.models.abilities import able
from engine.models.recurrent import RecurrentModel
from tests.browser.conftest import Live
from tests.conftest import shipped
from tests.lessons.test_first_minute import blocks

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
    found = cells(live, "triangle")
    assert len(found) == len(tokens) * (len(tokens) - 1) / 2
    at = {(q, k) for q in range(1, len(tokens)) for k in range(q)}
    for (q, k), row in zip(sorted(at), found, strict=True):
        assert row[2] == str(q - k)
        assert float(row[3].replace(" × 10", "e").translate(POWER)) == pytest.approx(
            want[q - 1, k], rel=0.01
        )


POWER = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")


def test_truncation_and_one_step_of_learning(page: Page) -> None:
    live = page("bptt", query={"chunk": 4, "rate": 20}).fill(TEXT)
    live.page.wait_for_function(
        "() => document.querySelector('[data-panel=\"descent\"] .un-readout').textContent"
        ".includes('cosine')"
    )
    said = live.page.inner_text('[data-panel="descent"] .un-readout')
    model = able(shipped("rnn"), RecurrentModel)
    tokens = model.tokens(TEXT)
    made = backpropagation.update(model, tokens, 0.1)
    before, after = (float(q[1:].mean()) / np.log(2) for q in (made.before_Q, made.after_Q))
    assert said.startswith(f"{before:.2f} → {after:.2f} bits a token after 1 step (better)")
    whole, cut = (backpropagation.truncated(model, tokens, c)[0] for c in (None, 4))
    assert f"{100 * np.linalg.norm(cut) / np.linalg.norm(whole):.1f} % as long" in said
    expect(live.page.locator('[data-panel="triangle"]').first).to_contain_text(
        "truncated after 4 steps", use_inner_text=True
    )


def test_the_gradient_flows_back_step_by_step(page: Page) -> None:
    live = page("bptt").fill(TEXT)
    bits = surprisal(shipped("rnn").trace(TEXT))[1:]
    rows = cells(live, "unrolled")  # beside each state the loss of the next token, and all so far
    assert [float(row[-2]) for row in rows] == pytest.approx(bits.tolist(), rel=0.01)
    assert [float(row[-1]) for row in rows] == pytest.approx(np.cumsum(bits).tolist(), rel=0.01)
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
        "steps back", use_inner_text=True
    )


def test_reach_is_that_of_python(page: Page) -> None:
    text = "The keys to the cabinet were"
    live = page("reach").fill(text)
    # the row of the last word comes in a moment of rest
    live.page.locator('[data-panel="arcs"] .un-readout', has_text="were").wait_for()
    found = cells(live, "arcs")
    for n, run in enumerate(("rnn_large", "lstm", "transformer")):
        want, count = blocks(run, text), 6
        each = count * (count - 1) // 2
        rows = iter(found[n * each : (n + 1) * each])
        for q in range(1, count):
            for k in range(q):
                row = next(rows)
                assert row[1:4] == [text.split()[q], text.split()[k], str(q - k)]
                number = float(row[4].replace(" × 10", "e").translate(POWER))
                assert number == pytest.approx(want[q, k], rel=0.01)


def test_what_comes_in_a_moment_of_rest(page: Page) -> None:
    """Spectra, sums and a second step of learning are those of Python."""
    live = page("bptt", query={"token": 17, "other": 8}).fill(TEXT)
    panel = live.page.locator('[data-panel="spectrum"] .un-readout')
    live.page.wait_for_function(
        "() => document.querySelector('[data-panel=\"spectrum\"] .un-readout').textContent"
        ".includes('singular')"
    )
    model = able(shipped("rnn"), RecurrentModel)
    tokens = model.tokens(TEXT)
    end = len(tokens) - 2  # typing looks at the end again
    want = jacobians.spectrum(model, tokens, 0, end - 10, end)
    expect(panel).to_contain_text(
        f"largest singular value {want.step_S[0]:.3g}", use_inner_text=True
    )
    sums = live.page.locator('[data-panel="sums"] .un-readout')
    live.page.wait_for_function(
        "() => document.querySelector('[data-panel=\"sums\"] .un-readout').textContent"
        ".includes('whole gradient')"
    )
    norm = backpropagation_sums.split(model, tokens, 0)["recurrent"].norm
    expect(sums).to_contain_text(f"whole gradient: {norm:.1f}", use_inner_text=True)
    live.page.get_by_role("button", name="Take a step").click()
    live.page.wait_for_function(
        "() => document.querySelector('[data-panel=\"descent\"] .un-readout').textContent"
        ".includes('after 2 steps')"
    )
    made = backpropagation.update(model, tokens, 0.1, steps=2)
    after = float(made.after_Q[1:].mean()) / np.log(2)
    expect(live.page.locator('[data-panel="descent"] .un-readout').first).to_contain_text(
        f"{after:.3g} bits a token", use_inner_text=True
    )
