"""The map in a real browser: what is drawn is what was computed, and pointing, finding, the lasso
and the steps answer without the server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from engine.analysis.projection import quality
from engine.runs.store import Run, RunStore
from tests.browser.conftest import COUNT_SENT, QUIET, Live

pytestmark = pytest.mark.browser
PANEL = '[data-panel="points"]'


def test_the_map_is_the_computed_one_and_answers_by_itself(
    page: Callable[..., Live], run_of: Callable[[str], Run]
) -> None:
    live = page("embeddings")
    fields = live.numbers()
    axes, (words, _), place = fields["map"]
    space = RunStore().load(run_of("skipgram")).space
    unit = space.unit[[space.row(word) for word in words]]
    assert (
        axes == ["word", "coordinate"]
        and len(words) == min(500, len(space))
        and np.ptp(place, axis=0).min() > 1
    )
    want = quality.measure(unit, place)
    # places come in 16 bits
    assert fields["trust"][2].mean() == pytest.approx(want.trust.mean(), abs=2e-3)
    assert np.abs(fields["kept"][2] - want.kept).mean() < 0.1
    assert fields["kept"][2].mean() > 2, "t-SNE keeps far more neighbours than chance would"
    expect(live.page.locator(f"{PANEL} > .un-says")).to_contain_text(
        f"{fields['kept'][2].mean():.1f} are among", use_inner_text=True
    )

    live.page.evaluate(COUNT_SENT)
    live.page.wait_for_function(QUIET)  # the address is written
    sent = live.page.evaluate("window.sent")
    readout = live.page.locator(f"{PANEL} .un-readout")
    word = words[300]
    live.page.get_by_label("Find a word on the map").fill(word)
    live.page.get_by_role("button", name="Find", exact=True).click()
    live.page.wait_for_function(
        "(w) => document.querySelector('[data-panel=points]"
        " .un-readout').textContent.startsWith(`“${w}”: true neighbours`)",
        arg=word,
    )
    near = words[want.near[300, 0]]
    expect(readout).to_contain_text(
        f"true neighbours {near} {unit[300] @ unit[want.near[300, 0]]:.2f}", use_inner_text=True
    )
    live.page.get_by_label("All: The whole map").click()
    canvas = live.page.locator(f"{PANEL} canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    live.page.get_by_role("button", name="Lasso").click()
    corners = [
        (x * box["width"], y * box["height"])
        for x, y in ((0.01, 0.01), (0.99, 0.01), (0.99, 0.9), (0.01, 0.9), (0.01, 0.01))
    ]
    live.page.mouse.move(box["x"] + corners[0][0], box["y"] + corners[0][1])
    live.page.mouse.down()
    for x, y in corners[1:]:
        live.page.mouse.move(box["x"] + x, box["y"] + y, steps=2)
    live.page.mouse.up()
    with live.page.expect_download() as got:
        live.page.get_by_role("button", name="Download them").click()
    lines = Path(got.value.path()).read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("word,x,y,trustworthiness,continuity") and len(lines) > 0.9 * len(
        words
    )
    slider = live.page.get_by_label("Step of the optimisation")
    slider.fill("10")
    live.page.wait_for_function(
        "() => document.querySelector('[data-panel=points]').textContent.includes('step 100 of 500,"
        " early exaggeration: attraction times 12')"
    )
    assert live.page.evaluate("window.sent") == sent, "nothing of this asked the server"
    live.type(f" {words[250]}")
    assert live.numbers()["place"][2][-1, :2] == pytest.approx(place[250], abs=1e-3)
