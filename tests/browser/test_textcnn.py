"""The page on the sentence classifier in a real browser: what each filter adds, and the answer without it, are
the model's own; a row is chosen by click and by key."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from engine.core.tap import Edit
from tests.browser.conftest import Live
from tests.conftest import shipped

pytestmark = pytest.mark.browser
TEXT = "The plot is a boring mess, but the acting is superb"
ROWS = """() => {
  let holder = document.querySelector("[data-unrolled]");
  while (!holder.unrolledApp) holder = holder.parentElement;
  return holder.unrolledApp.panels.find((p) => p.spec.id === "phrases").listed().rows;
}"""


def test_a_row_says_what_its_filter_adds(page: Callable[..., Live]) -> None:
    live = page("textcnn").fill(TEXT[:-7]).type(TEXT[-7:])
    model = shipped("textcnn")
    rows = live.page.evaluate(ROWS)
    trace = model.trace(TEXT)
    answer = trace.field("label").values[-1]
    head = model.weights()["head.weight"]
    adds = trace.field("largest").values[-1] * (head[1] - head[0])
    for unit, _, phrase, best, added, _, without in rows:
        off = model.trace(TEXT, (Edit("largest", {"unit": int(unit)}),)).field("label").values[-1]
        assert float(best) == pytest.approx(trace.field("largest").values[-1, int(unit)], rel=5e-3)
        assert float(added) == pytest.approx(abs(adds[int(unit)]), rel=5e-3)
        assert without.startswith(("negative", "positive")[int(answer.argmax())])
        assert float(without.split()[1]) == pytest.approx(100 * off[answer.argmax()], abs=0.06)
        assert phrase in " ".join(trace.tokens)
    readout = live.page.locator('[data-panel="phrases"] .un-readout')
    expect(readout).to_contain_text(f"Filter {rows[0][0]} covers")
    canvas = live.page.locator('[data-panel="phrases"] canvas')
    canvas.click(position={"x": 200, "y": 40 + 25 * 2 + 5})
    expect(readout).to_contain_text(f"Filter {rows[2][0]} covers")
    live.page.keyboard.press("ArrowDown")
    expect(readout).to_contain_text(f"Filter {rows[3][0]} covers")
