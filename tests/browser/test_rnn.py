"""The page on recurrent networks: the step adds up to the model's own number, the loop folds and is
played, everything goes by keyboard."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from engine.runs.store import Run, RunStore
from tests.browser.conftest import Live, figures

Page = Callable[..., Live]
LONG = "It was a long time before anybody said a word to the old captain of the ship."
PICTURE = "document.querySelector('[data-panel=\"unroll\"] canvas').toDataURL()"


@pytest.mark.slow
def test_one_step_adds_up_the_loop_folds_and_is_walked(
    page: Page, run_of: Callable[[str], Run]
) -> None:
    live = page("rnn", width=390).fill(LONG)
    trace = RunStore().load(run_of("rnn")).trace(LONG)
    hidden_TU = trace.field("hidden").values[-1]
    steps, panel = live.panel("steps"), live.panel("unroll")
    box = steps.locator("input[type=number]")
    for token, unit in ((len(LONG), 0), (0, 3), (5, 11)):
        live.page.locator(".un-chip").nth(token).click()
        box.fill(str(unit))
        box.press("Enter")
        live.says("steps", f"unit {unit} of", ".un-title")
        shown = steps.locator(".un-body").evaluate("(n) => ({ ...n.dataset })")
        assert float(shown["sum"]) == pytest.approx(float(shown["field"]), abs=1e-5)
        wanted = trace.field("preactivation").values[-1, token, unit]
        assert float(shown["sum"]) == pytest.approx(wanted, abs=1e-4)
        assert float(shown["hidden"]) == pytest.approx(hidden_TU[token, unit], abs=1e-4)
    said = [steps.locator(".un-formula").inner_text()]
    for _ in range(5):
        steps.get_by_role("button", name="Next").click()
        said.append(steps.locator(".un-formula").inner_text())
    assert len(set(said)) == 6 and steps.get_by_role("button", name="Next").is_disabled()
    steps.get_by_role("button", name="Prev").click()
    expect(steps.locator(".un-formula")).to_have_text(said[4], use_inner_text=True)

    live.page.keyboard.press("Escape")
    live.fill(LONG[:-1]).type(LONG[-1])
    live.says("unroll", f"unfolded over {len(LONG) + 1} tokens", ".un-title")
    assert panel.locator(".un-strip").evaluate("(s) => s.scrollLeft") > 2000, (
        "the end of the text is in sight"
    )
    before, pin = live.page.evaluate(PICTURE), panel.locator('[data-matrix="hh"]')
    pin.click()
    expect(pin).to_have_attribute("aria-pressed", "true")
    live.page.mouse.move(2, 2)
    lit = live.page.evaluate(PICTURE)
    assert lit != before, "its picture at every step is bright"
    panel.get_by_role("button", name="Fold").click()
    live.says("unroll", ", folded", ".un-title")
    panel.get_by_role("button", name="Unfold").click()
    live.says("unroll", "unfolded over", ".un-title")
    live.page.wait_for_function(f"(was) => {PICTURE} === was", arg=lit)
    pin.click()

    panel.locator("canvas").first.focus()
    for _ in range(2):
        live.page.keyboard.press("ArrowLeft")
    live.says("steps", "“i”", ".un-title")
    before_unit = int(figures(live.says("steps", "unit", ".un-title"))[-2])
    live.page.keyboard.press("Shift+ArrowDown")  # along the units, not to the row below
    live.says("steps", f"unit {before_unit + 1} of", ".un-title")
    live.page.locator(".un-chip").first.click()
    live.page.wait_for_function("document.querySelector('.un-strip').scrollLeft === 0")

    # played, the whole page follows and nobody is asked; the numbers are the model's; a key ends it
    live.alone()
    told = panel.locator(".un-player-said")
    panel.get_by_role("button", name="Play").click()
    live.page.wait_for_function(
        "parseInt(document.querySelector('.un-player-said').textContent) > 20"
    )
    panel.get_by_role("button", name="Pause").click()
    words = told.inner_text()
    step = int(words.partition(" of ")[0])
    unit = int(words.partition("unit ")[2].split()[0])
    wanted = hidden_TU[step - 2 : step, unit]
    assert figures(words)[-2:] == pytest.approx(wanted, rel=0.01)
    assert live.sent == 0
    assert "un-kept" in str(live.page.locator(".un-chip").nth(step - 1).get_attribute("class"))
    panel.get_by_role("button", name="Play").click()
    live.type("!")
    expect(told).to_have_text("", use_inner_text=True)
    expect(panel.get_by_role("button", name="Play")).to_be_visible()
    live.says("steps", "“!”", ".un-title")
    live.fill("")
    for id in ("unroll", "steps"):
        expect(live.panel(id)).to_contain_text("Type something", use_inner_text=True)
