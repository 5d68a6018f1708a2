"""The word-vector page in a real browser: cosines and the odd one out on the screen are those of
the table of vectors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import expect

from engine.runs.store import Run, RunStore
from engine.vectors import odd
from tests.browser.conftest import Live, soon

pytestmark = pytest.mark.browser


def test_the_page_answers_keys_rest_and_clicks(
    page: Callable[..., Live], run_of: Callable[[str], Run]
) -> None:
    space = RunStore().load(run_of("skipgram")).space
    live = page("vectors").fill("red green blue seven")
    live.type(" yellow")
    words = "red green blue seven yellow".split()
    unit_ND = space.values[[space.row(w) for w in words]].astype(np.float64)
    unit_ND /= np.linalg.norm(unit_ND, axis=1, keepdims=True)
    tab = live.page

    def listed(panel: str) -> list[list[str]]:
        rows: list[list[str]] = tab.evaluate(
            """(id) => {
              let holder = document.querySelector("[data-unrolled]");
              while (!holder.unrolledApp) holder = holder.parentElement;
              return holder.unrolledApp.panels.find((p) => p.spec.id === id).listed().rows;
            }""",
            panel,
        )
        return rows

    def check() -> None:
        cells = [[float(v.replace("−", "-")) for v in row[1:]] for row in listed("similarity")]
        np.testing.assert_allclose(cells, unit_ND @ unit_ND.T, atol=6e-4)

    soon(tab, check)
    fits = dict(zip(words, odd.scores(unit_ND), strict=True))
    shown = {word: float(fit) for word, fit in listed("oddone")}
    assert list(shown) == sorted(words, key=lambda w: fits[w])
    np.testing.assert_allclose([shown[w] for w in words], [fits[w] for w in words], atol=6e-4)
    expect(tab.locator('[data-panel="oddone"] h3')).to_have_text(
        "Odd one out: “seven”", use_inner_text=True
    )
    canvas = tab.locator('[data-panel="oddone"] canvas')
    canvas.scroll_into_view_if_needed()
    canvas.click(position={"x": 150, "y": 52})  # the first row
    expect(tab.locator('[data-panel="neighbours"] h3')).to_contain_text("“seven”")
    row = space.row("seven")
    nearest = space.nearest(space.values[row], 3, ("seven",))
    assert [word for word, _ in listed("neighbours")[:3]] == [word for word, _ in nearest]
    tab.get_by_text("king − man + woman").first.wait_for()
    box = tab.get_by_label("is to b", exact=True)
    box.fill("queen")
    box.press("Enter")
    tab.get_by_text("queen − man + woman").first.wait_for()
