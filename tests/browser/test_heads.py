"""The Heads page in one visit: numbers, a click, lines, hidden tokens, order, combined heads, a
long text."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from engine.analysis.heads import combine
from engine.runs.store import Run, RunStore
from tests.browser.conftest import Live

pytestmark = pytest.mark.browser
TEXT = "The king spoke to the queen"
LONG = (
    "The old captain looked at the grey sea and said nothing at all to the young king. " * 9
).strip()
READER = "document.querySelector('.un').parentElement.unrolledApp.readers.values().next().value"


def text_of(live: Live, panel: str, part: str) -> str:
    return str(live.page.inner_text(f'[data-panel="{panel}"] {part}'))


def wait_for(live: Live, panel: str, part: str, words: str) -> None:
    live.page.wait_for_function(
        '([id, part, words]) => document.querySelector(`[data-panel="${id}"]'
        " ${part}`)?.textContent.includes(words)",
        arg=[panel, part, words],
    )


def test_all_heads(page: Callable[..., Live], run_of: Callable[[str], Run]) -> None:
    run = run_of("transformer")
    model = RunStore().load(run)
    live = page("heads").fill(TEXT[:-4])
    live.type(TEXT[-4:])
    weight = model.trace(TEXT, fields=("attention",)).field("attention").values
    fields = live.numbers()
    np.testing.assert_allclose(fields["attention"][2], weight, atol=1e-5)
    np.testing.assert_allclose(fields["combined"][2], combine.combine(weight), atol=1e-5)

    # a click on a picture opens its head, here the first of the first layer
    live.page.evaluate("document.querySelector('[data-panel=wall] canvas').scrollIntoView()")
    canvas = live.page.locator('[data-panel="wall"] canvas')
    canvas.click(position={"x": 62, "y": 30})
    live.settled("layer=0")
    assert live.kept()["head"] == "0"
    wait_for(live, "open", ".un-title", "Layer 1, head 1")
    wait_for(live, "tags", ".un-title", "Layer 1, head 1")

    # pointing at a token lights its lines and says the largest weight of its row
    at = len(model.tokens(TEXT)) - 1
    live.page.locator(".un-chip").nth(at).hover()
    wait_for(live, "arcs", ".un-title", "looks")
    best = int(weight[0, 0, at].argmax())
    assert f"{100 * weight[0, 0, at, best]:.3g}"[:3] in text_of(live, "arcs", ".un-readout")
    live.page.mouse.move(2, 2)

    # without the start mark rows share out 1 again
    live.page.get_by_role("button", name="Hide special tokens").click()
    live.settled("with=no_marks")
    wait_for(live, "wall", ".un-body > .un-says", "are hidden")
    live.page.locator(".un-chip").nth(at).hover()
    row = weight[0, 0, at, 1:] / weight[0, 0, at, 1:].sum()
    wait_for(live, "open", ".un-readout", f"{100 * row.max():.3g}"[:3])
    live.page.mouse.move(2, 2)
    live.page.get_by_role("button", name="Hide special tokens").click()

    # another order, by entropy: the table twin of the wall is in that order
    live.page.select_option('[data-panel="wall"] select', "entropy")
    live.page.locator('[data-panel="wall"] .un-tools > button').first.click()
    bits = -(weight * np.log2(np.where(weight > 0, weight, 1))).sum(-1)[..., 1:].mean(-1)
    first = np.unravel_index(int(bits.argmax()), bits.shape)
    cells = live.page.locator('[data-panel="wall"] .un-table tr:nth-child(2) td').all_inner_texts()
    assert cells[:2] == [str(first[0] + 1), str(first[1] + 1)] and float(
        cells[3].removesuffix(" bits")
    ) == pytest.approx(bits.max(), abs=0.006)

    # a long text: small pictures, and the opened head whole; another head is asked for by a click
    live.fill(LONG)
    count = live.page.evaluate(f"{READER}.labels.length")
    assert count > 48
    found = live.numbers()
    assert set(found) >= {"thumbnail", "opened"} and "attention" not in found
    long = model.trace(LONG, fields=("attention",)).field("attention").values
    np.testing.assert_allclose(found["opened"][2], long[0, 0], atol=1e-5)
    assert "largest weight" in text_of(live, "wall", ".un-body > .un-says")
    live.page.select_option('[data-panel="wall"] select', "")
    live.page.locator(".un-chip").last.focus()
    live.page.keyboard.press("ArrowDown")
    live.page.wait_for_function(
        f"{READER}.said.open.join() === '0,1' && !document.querySelector('[data-panel=open]"
        " .un-says').textContent.includes('on their way')"
    )
    np.testing.assert_allclose(live.numbers()["opened"][2], long[0, 1], atol=1e-5)
    live.fill(TEXT)
    assert "thumbnail" not in live.numbers()
