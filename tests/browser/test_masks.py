"""The page on masks in a real browser: what is drawn is the model under the mask that is chosen, and
a click turns a cell over."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from engine.lessons.masks import imposed
from engine.lessons.masks.imposed import Mask
from tests.browser.conftest import Live
from tests.conftest import shipped

pytestmark = pytest.mark.browser
TEXT = "The girl looked at the old man"
FRESH = "() => !document.querySelector('[data-panel=masklab]').classList.contains('un-stale')"


def test_the_picture_is_the_model_under_the_mask(page: Callable[..., Live]) -> None:
    live = page("masks", query={"rules": "window.3.zero", "layer": 2, "head": 3}).fill(TEXT)
    model = shipped("transformer")
    ids = model.tokens(TEXT).ids

    def same(mask: Mask) -> None:
        live.page.wait_for_function(FRESH, timeout=30_000)
        found = imposed.run(model, ids, mask).attention_LNTS[2, 3]
        np.testing.assert_allclose(live.numbers()["mask.attention"][2], found, atol=1e-4)

    same(Mask("window", 3))
    live.page.locator('[data-panel="masklab"] select').first.select_option("top")
    live.settled("rules=top.3.zero")
    same(Mask("top", 3))
    live.page.locator('[data-panel="masklab"] select').first.select_option("causal")
    live.page.get_by_role("button", name="Turn pair over").click()
    flips = live.settled("masks=").partition("masks=")[2].partition("&")[0]
    t, s = map(int, flips.split("."))
    same(Mask("causal", 3, flips=frozenset({(t, s)})))
    live.page.get_by_role("button", name="Undo", exact=True).last.click()
    same(Mask("causal", 3))
