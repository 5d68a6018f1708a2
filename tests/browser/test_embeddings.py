"""The map in a real browser: what is drawn is what was computed; pointing, colours and zoom answer without the
server."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import expect

from engine.analysis.projection import quality
from engine.runs.store import Run, RunStore
from tests.browser.conftest import COUNT_SENT, QUIET, Live

pytestmark = pytest.mark.browser
PANEL = '[data-panel="points"]'
MAP = """() => {
  let holder = document.querySelector("[data-unrolled]");
  while (!holder.unrolledApp) holder = holder.parentElement;
  const { view } = holder.unrolledApp.panels.find((p) => p.spec.id === "points");
  const told = (name) => Array.from(view.source.field(name).values);
  return {
    words: view.source.names("point"), place: told("place"), trust: told("trust"), typed: told("typed"),
    spots: view.spots.map(({ x, y, place }) => [x, y, place.other ?? -1]),
  };
}"""


def test_the_map_is_the_computed_one_and_answers_by_itself(
    page: Callable[..., Live], run_of: Callable[[str], Run]
) -> None:
    live = page("embeddings").fill("king")
    found = live.page.evaluate(MAP)
    words, place = found["words"], np.reshape(found["place"], (-1, 2))
    space = RunStore().load(run_of("skipgram")).space
    unit = space.unit[[space.row(word) for word in words]]
    assert len(words) == min(500, len(space)) and np.ptp(place, axis=0).min() > 1
    want = quality.measure(unit, place)
    assert np.mean(found["trust"]) == pytest.approx(want.trust.mean(), abs=1e-4)

    live.page.evaluate(COUNT_SENT)
    live.page.wait_for_function(QUIET)  # the address is written
    sent = live.page.evaluate("window.sent")
    x, y, row = next(spot for spot in found["spots"] if spot[2] > 100)
    canvas = live.page.locator(f"{PANEL} canvas")
    canvas.scroll_into_view_if_needed()
    canvas.hover(position={"x": x, "y": y})
    near = np.argsort(-(unit @ unit[row]))[1]
    readout = live.page.locator(f"{PANEL} .un-readout")
    expect(readout).to_contain_text(f"“{words[row]}”: true neighbours {words[near]} ")
    live.page.mouse.move(0, 0)
    panel = live.page.locator(PANEL)
    panel.get_by_role("button", name="true neighbours kept").click()
    panel.get_by_role("slider").fill("8")
    expect(panel).to_contain_text("Zoom: 8 ×")
    closer = live.page.evaluate(MAP)["spots"]
    assert 0 < len(closer) < len(found["spots"]), "the rest lies outside"
    assert live.page.evaluate("window.sent") == sent, "nothing of this asked the server"
    live.type(f" {words[250]}")
    assert live.page.evaluate(MAP)["typed"][-2:] == pytest.approx(place[250].tolist(), abs=1e-3)
