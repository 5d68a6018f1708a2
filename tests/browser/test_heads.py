"""The Heads page in one visit: its numbers, a click that opens a head, where it looks, what it does, how each spreads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from engine.lessons.heads import tags
from engine.runs.store import Run, RunStore
from tests.browser.conftest import FRAMES, Live

pytestmark = pytest.mark.browser
TEXT = "The king spoke to the queen"


def wait_for(live: Live, panel: str, part: str, words: str) -> None:
    live.page.wait_for_function(
        '([id, part, words]) => document.querySelector(`[data-panel="${id}"]'
        " ${part}`)?.textContent.includes(words)",
        arg=[panel, part, words],
    )


def rows(live: Live, panel: str) -> list[list[str]]:
    found: list[list[str]] = live.page.evaluate(
        """id => document.querySelector('.un').parentElement.unrolledApp.panels
             .find((panel) => panel.spec.id === id).listed().rows.map((row) => row.map(String))""",
        panel,
    )
    return found


def test_all_heads(page: Callable[..., Live], run_of: Callable[[str], Run]) -> None:
    run = run_of("transformer")
    model = RunStore().load(run)
    live = page("heads").fill(TEXT[:-4])
    live.type(TEXT[-4:])
    weight = model.trace(TEXT, fields=("attention",)).field("attention").values
    np.testing.assert_allclose(live.numbers()["attention"][2], weight, atol=1e-5)

    # a click on a picture opens its head, here the first of the first layer
    live.page.evaluate("document.querySelector('[data-panel=wall] canvas').scrollIntoView()")
    live.page.locator('[data-panel="wall"] canvas').click(position={"x": 20, "y": 36})
    live.settled("layer=0")
    assert live.kept()["head"] == "0"
    for panel in ("open", "tags", "arcs"):
        wait_for(live, panel, ".un-title", "ayer 1, head 1")

    # pointing at a token says the largest weight of its row, in full and as lines
    at = len(model.tokens(TEXT)) - 1
    live.page.locator(".un-chip").nth(at).hover()
    live.page.evaluate(FRAMES)
    best = f"{100 * weight[0, 0, at].max():.3g}"[:3]
    for panel in ("wall", "open", "arcs"):
        wait_for(live, panel, ".un-readout", best)
    live.page.mouse.move(2, 2)

    # what it was measured to do, and how far every head spreads
    found = tags.known(run, model)
    assert found is not None
    shown = rows(live, "tags")
    assert [row[0] for row in shown] == [name.replace(", ", "/") for name in found.names]
    assert [row[4] == "1" for row in shown] == found.given()[:, 0, 0].tolist()
    bits = -(weight * np.log2(np.where(weight > 0, weight, 1))).sum(-1)[..., 1:].mean(-1)
    wall = rows(live, "wall")
    assert [float(row[3]) for row in wall] == pytest.approx(bits.ravel(), abs=0.006)
    live.page.get_by_role("button", name="weight on the first token").click()
    wait_for(live, "spread", ".un-title", "weight on the first token")
    most = np.argmax(weight[:, :, 1:, 0].mean(-1))
    first = [float(row[5].rstrip(" %")) for row in wall]
    assert int(np.argmax(first)) == most
