"""The page on masks in a real browser: what is drawn is the model under the mask that is chosen, and a click on
a pattern of the gallery puts it on the model."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from engine.lessons.masks import imposed
from engine.lessons.masks.imposed import Mask
from engine.lessons.masks.live import LEAST, SHOWN
from tests.browser.conftest import Live
from tests.conftest import shipped

pytestmark = pytest.mark.browser
TEXT = "The girl looked at the old man"


def test_the_picture_is_the_model_under_the_mask(page: Callable[..., Live]) -> None:
    live = page("masks", query={"pattern": 4, "size": 3, "layer": 2, "head": 3}).fill(TEXT)
    model = shipped("transformer")
    ids = model.tokens(TEXT).ids

    def same(mask: Mask) -> None:
        live.page.wait_for_function(
            """pairs => document.querySelector('.un').parentElement.unrolledApp.readers.values().next()
                 .value.said.numbers?.pairs === pairs""",
            arg=imposed.pairs(mask, len(ids)),
        )
        weight = imposed.run(model, ids, mask).attention_LNTS[2, 3]
        hidden = ~mask.may(len(ids)) & ~(weight > LEAST)
        shown = live.numbers()["mask.attention"][2]
        np.testing.assert_allclose(shown, np.where(hidden, np.nan, weight), atol=1e-4)

    same(Mask("window", 3))
    live.page.locator('[data-panel="masklab"] select').first.select_option(str(SHOWN.index("top")))
    live.settled("pattern=10")
    same(Mask("top", 3))
    live.page.locator('[data-panel="masklab"] select').nth(1).select_option("e9")
    live.settled("with=e9")
    same(Mask("top", 3, "e9"))
    canvas = live.page.locator('[data-panel="gallery"] canvas')
    canvas.scroll_into_view_if_needed()
    canvas.click(position={"x": 20, "y": 36})  # the first pattern
    live.settled("pattern=0")
    same(Mask("causal", 3, "e9"))
