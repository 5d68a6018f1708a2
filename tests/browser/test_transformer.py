"""The Transformer and Model surgery in a real browser: the stops hold the model's own numbers, and
a click on a part takes it away."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import expect

from engine.analysis import surgery
from engine.runs.store import Run, RunStore
from tests.browser.conftest import WAIT_MS, Live

pytestmark = pytest.mark.browser


def test_the_stops_hold_the_model_s_own_numbers(
    page: Callable[..., Live], run_of: Callable[[str], Run]
) -> None:
    model = RunStore().load(run_of("transformer"))
    live = page("transformer", query={"text": "The old captain", "stop": "4"})
    live.type(" l")
    trace = model.trace("The old captain l")

    def stop(part: str) -> np.ndarray:
        live.page.wait_for_function(
            "(part) => document.querySelector('[data-panel=flow] h3').textContent.includes(part)",
            arg=part,
            timeout=WAIT_MS,
        )
        return live.numbers()["stop"][2]

    np.testing.assert_allclose(
        stop("layer 1, attention"), trace.field("attention.output").values[0, -1], atol=1e-4
    )
    panel = live.page.locator('[data-panel="flow"]')
    panel.get_by_role("button", name="Next ›", exact=True).click()
    np.testing.assert_allclose(
        stop("stream after attention"), trace.field("residual.middle").values[0, -1], atol=1e-4
    )
    live.page.keyboard.press("ArrowDown")
    normed = stop("layer 1, second norm")
    x_D = trace.field("residual.middle").values[0, -1].astype(float)
    norm = model.net.tower.blocks[0].norm_2
    want = (x_D - x_D.mean()) / np.sqrt(
        x_D.var() + norm.eps
    ) * norm.weight.detach().numpy() + norm.bias.detach().numpy()
    np.testing.assert_allclose(normed, want, atol=1e-3)
    panel.get_by_label("Stop", exact=True).fill(str(len(trace.field("residual").values) * 6 + 5))
    live.page.wait_for_function(
        "() => document.querySelector('[data-panel=flow] h3').textContent.includes('softmax')"
    )
    found, p_V = live.numbers(), trace.field("probability").values[-1]
    np.testing.assert_allclose(found["lens.probability"][2][-1, -1], p_V.max(), atol=1e-5)
    logit_V = trace.field("logits").values[-1]
    np.testing.assert_allclose(
        found["push"][2][:, -1].sum(), logit_V.max() - logit_V.mean(), atol=1e-3
    )
    best = model.tokenizer.vocab[int(p_V.argmax())].replace(" ", "·").replace("\n", "⏎")
    for panel_id in ("lens", "pushes"):
        readout = live.page.locator(f'[data-panel="{panel_id}"] .un-readout')
        expect(readout).to_contain_text(f"“{best}”", use_inner_text=True)
    expect(panel.locator(".un-readout")).to_contain_text(f"“{best}”", use_inner_text=True)
    live.settled("stop=")


def test_a_click_takes_a_head_away_and_undo_brings_it_back(
    page: Callable[..., Live], run_of: Callable[[str], Run]
) -> None:
    model = RunStore().load(run_of("transformer"))
    text, sizes = "The girl looked at the man", surgery.operable(model)
    live = page("surgery", query={"run": "transformer", "text": text})

    def edited(count: int) -> dict[str, tuple[list[str], list[list[str]], np.ndarray]]:
        live.page.wait_for_function(
            f"() => document.querySelectorAll('.un-edit').length === {count}", timeout=WAIT_MS
        )
        live.page.wait_for_function(
            "() => { const said = document.querySelector('.un-written'); return said &&"
            " !said.classList.contains('un-old'); }",
            timeout=WAIT_MS,
        )
        found = live.numbers()
        np.testing.assert_allclose(
            found["change.attention"][2],
            found["edited.attention"][2] - found["plain.attention"][2],
            atol=1e-6,
        )
        return found

    assert not edited(0)["change.attention"][2].any()
    panel = live.page.locator('[data-panel="switches"]')
    panel.get_by_role("button", name="head 2, layer 1", exact=True).click()
    after = edited(1)
    want = (
        model.trace(text, surgery.read("reading:0:1:*:scale:0", sizes)[0]).field("attention").values
    )
    np.testing.assert_allclose(after["edited.attention"][2], want, atol=1e-4)
    assert np.abs(after["change.attention"][2]).max() > 1e-3
    expect(panel).to_contain_text("switched off", use_inner_text=True)
    live.page.keyboard.press("Control+z")
    assert not edited(0)["change.attention"][2].any()
    live.click_in("weighing", 0.5, 0.55)
    slider = live.page.locator('[data-panel="weighing"]').get_by_role("slider", name="Weight")
    slider.fill("0.5")
    held = edited(1)
    live.settled("edits=attention")
    (edit,), _ = surgery.read(live.kept()["edits"], sizes)
    at = tuple(edit.where[axis] for axis in ("layer", "head", "query", "key"))
    assert held["edited.attention"][2][at] == 0.5 and edit.to == 0.5
