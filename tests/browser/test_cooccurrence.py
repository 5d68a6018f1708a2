"""Co-occurrence in a real browser: the table answers each key and each control, and says of a pair what it
holds."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from playwright.sync_api import expect

from engine.course.curriculum import lesson
from engine.lessons.cooccurrence.live import derive
from engine.live import cache
from engine.runs.store import RunStore
from tests.browser.conftest import Live, soon

TABLE = """() => {
  let holder = document.querySelector("[data-unrolled]");
  while (!holder.unrolledApp) holder = holder.parentElement;
  const { source } = holder.unrolledApp.panels.find((p) => p.spec.id === "near").view;
  const { values } = source.field("near");
  return [source.names("word"), Array.from(values)];
}"""


def test_the_tables_are_those_of_the_engine(page: Callable[..., Live]) -> None:
    text = lesson("cooccurrence").example
    live = page("cooccurrence", query={"text": text, "shows": "ppmi", "size": "2"})
    live.type("\nice is")
    model = cache.model(RunStore().find("glove"))
    trace = model.trace(text + "\nice is", fields=("vector",))

    def check(**asks: object) -> None:
        words, values = live.page.evaluate(TABLE)
        found = derive(model, trace, asks)
        assert words == [trace.tokens[int(t)] for t in found["first"][1]]
        np.testing.assert_allclose(values, found["near"][1].ravel(), atol=1e-5)

    soon(live.page, lambda: check(shows="ppmi", size=2))
    panel = live.page.locator('[data-panel="near"]')
    panel.get_by_role("button", name="Counts", exact=True).click()
    panel.get_by_role("button", name="1 / distance").click()
    panel.get_by_role("slider").fill("4")
    soon(live.page, lambda: check(shows="count", size=4, order="distance"))
    panel.get_by_role("button", name="each counts 1").click()
    live.page.locator(".un-chip", has_text="paris").click()
    says = (
        "“paris” stands near “is” 1, “a” 1, “capital” 1, “city” 1. All its neighbours together: 4."
    )
    expect(panel.locator(".un-readout")).to_have_text(re.compile(f"^{re.escape(says)}"))
    onehot = live.page.locator('[data-panel="onehot"] .un-readout')
    expect(onehot).to_contain_text("word 1 of 12")
    expect(onehot).to_contain_text("= 1.41")
    expect(live.page.locator('[data-panel="dense"] .un-readout')).to_contain_text("is most like")
    live.page.get_by_text("Singular values σ of the PPMI table").first.wait_for()
