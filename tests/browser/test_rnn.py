"""The page on recurrent networks: the step adds up to the model's own number, the loop folds,
everything goes by keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import expect
from safetensors.numpy import load_file

from engine.runs.store import Run, RunStore
from engine.storage.quantised import unpack
from tests.browser.conftest import COUNT_SENT, Live

pytestmark = pytest.mark.browser
Page = Callable[..., Live]
RunOf = Callable[[str], Run]
TEXT = "The cat sat"
LONG = "It was a long time before anybody said a word to the old captain of the ship."


def wait_for_title(live: Live, panel: str, part: str) -> None:
    live.page.wait_for_function(
        '([id, part]) => document.querySelector(`[data-panel="${id}"]'
        " .un-title`).textContent.includes(part)",
        arg=[panel, part],
    )


def weights(run: Run) -> dict[str, np.ndarray]:
    return {
        k: v.astype(np.float64)
        for k, v in unpack(load_file(run.folder / "weights.safetensors")).items()
        if v.dtype.kind == "f"
    }


def test_one_step_number_by_number(page: Page, run_of: RunOf) -> None:
    """Added up in the browser, sent by the model, and computed here from the weights file: three
    times the same."""
    run = run_of("rnn")
    w = weights(run)
    live = page("rnn").fill(TEXT)
    x_TD = w["embed.weight"][RunStore().load(run).tokens(TEXT).ids]
    for layer in range(run.note["config"]["layers"]):
        name = f"layers.{layer}.fused."
        h, a_TH, h_TH = np.zeros(run.note["config"]["units"]), [], []
        for x in x_TD:
            a_TH.append(
                w[name + "weight_hh_l0"] @ h
                + w[name + "weight_ih_l0"] @ x
                + w[name + "bias_hh_l0"]
                + w[name + "bias_ih_l0"]
            )
            h = np.tanh(a_TH[-1])
            h_TH.append(h)
        x_TD = np.array(h_TH)
    panel = live.page.locator('[data-panel="steps"]')
    box = panel.locator("input[type=number]")
    for token, unit in ((len(TEXT), 0), (0, 3), (5, 11)):
        live.page.locator(".un-chip").nth(token).click()
        box.fill(str(unit))
        box.press("Enter")
        wait_for_title(live, "steps", f"unit {unit} of")
        shown = live.page.evaluate(
            "({ ...document.querySelector('[data-panel=\"steps\"] .un-body').dataset })"
        )
        assert float(shown["sum"]) == pytest.approx(float(shown["field"]), abs=1e-5)
        assert float(shown["sum"]) == pytest.approx(a_TH[token][unit], abs=1e-4)
        assert float(shown["hidden"]) == pytest.approx(h_TH[token][unit], abs=1e-4)

    said = []
    for n in range(6):
        said.append(panel.locator(".un-formula").inner_text())
        if n < 5:
            panel.get_by_role("button", name="Next").click()
    assert len(set(said)) == 6 and panel.get_by_role("button", name="Next").is_disabled()
    likely = [value.strip() for value in panel.locator(".un-row-value").all_inner_texts()]
    assert likely == [
        value.strip()
        for value in live.page.locator('[data-panel="next"] .un-row-value').all_inner_texts()[:5]
    ], "its softmax"
    panel.get_by_role("button", name="Prev").click()
    expect(panel.locator(".un-formula")).to_have_text(said[4], use_inner_text=True)

    live.fill("")
    for id in ("unroll", "steps"):
        expect(live.page.locator(f'[data-panel="{id}"]')).to_contain_text(
            "Type something", use_inner_text=True
        )
    live.fill("👩‍🚀 ok")
    wait_for_title(live, "unroll", "unfolded over")


def test_the_loop_folds_lights_up_and_is_walked_by_keyboard(page: Page, run_of: RunOf) -> None:
    live = page("rnn", width=390).fill(LONG)
    panel = live.page.locator('[data-panel="unroll"]')
    wait_for_title(live, "unroll", f"unfolded over {len(LONG) + 1} tokens")
    assert panel.locator(".un-strip").evaluate("(s) => s.scrollLeft") > 2000, (
        "the end of the text is in sight"
    )
    picture = "document.querySelector('[data-panel=\"unroll\"] canvas').toDataURL()"
    before = live.page.evaluate(picture)
    pin = panel.locator('[data-matrix="hh"]')
    pin.click()
    expect(pin).to_have_attribute("aria-pressed", "true")
    live.page.mouse.move(2, 2)
    lit = live.page.evaluate(picture)
    assert lit != before, "its picture at every step is bright"
    panel.get_by_role("button", name="Fold").click()
    wait_for_title(live, "unroll", ", folded")
    panel.get_by_role("button", name="Unfold").click()
    wait_for_title(live, "unroll", "unfolded over")
    live.page.wait_for_function(f"(was) => {picture} === was", arg=lit)
    pin.click()
    live.page.mouse.move(2, 2)
    live.page.wait_for_function(f"(was) => {picture} === was", arg=before)

    run = run_of("rnn")
    panel.locator("canvas").first.focus()
    live.page.keyboard.press("ArrowLeft")
    live.page.keyboard.press("ArrowLeft")
    wait_for_title(live, "steps", "“i”")
    live.page.keyboard.press("Shift+ArrowDown")  # along the units, not to the row below
    wait_for_title(live, "steps", "unit 1 of")
    live.page.locator(".un-chip").first.click()
    live.page.wait_for_function("document.querySelector('.un-strip').scrollLeft === 0")

    # played, the whole page follows and nobody is asked; the numbers are the model's; a key ends it
    live.page.evaluate(COUNT_SENT)
    panel.get_by_role("button", name="Play").click()
    told = panel.locator(".un-player-said")
    live.page.wait_for_function(
        "parseInt(document.querySelector('.un-player-said').textContent) > 20"
    )
    panel.get_by_role("button", name="Pause").click()
    step = int(told.inner_text().partition(" of ")[0])
    h_T = RunStore().load(run).trace(LONG).field("hidden").values[-1, :, 1]
    found = re.search(r"h_t of unit 1 (\S+) → (\S+)\.$", told.inner_text())
    assert found and [float(n.replace("−", "-")) for n in found.groups()] == pytest.approx(
        h_T[step - 2 : step], rel=0.01
    )
    assert live.page.evaluate("window.sent") == 0
    assert "un-kept" in str(live.page.locator(".un-chip").nth(step - 1).get_attribute("class"))
    panel.get_by_role("button", name="Play").click()
    live.type("!")
    expect(told).to_have_text("", use_inner_text=True)
    expect(panel.get_by_role("button", name="Play")).to_be_visible()
    wait_for_title(live, "steps", "“!”")
