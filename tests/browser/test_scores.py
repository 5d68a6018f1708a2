"""The page on scores in a real browser: the sums on the screen are the model's scores, a column
opens a score, and the translator that is looked at is asked to write."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from engine.core.registry import scores
from engine.runs.store import SHIPPED, RunStore
from tests.browser.conftest import Live

pytestmark = pytest.mark.browser
TEXT = "The key is white and it is small\nLa clé est blanche et il est petit"


def test_every_score_is_the_sum_that_is_shown(page: Callable[..., Live]) -> None:
    live = page("scores").fill(TEXT)
    store = RunStore()
    for kind in scores.listed():
        if not (SHIPPED / f"score_{kind}_after").is_dir():
            pytest.skip("the small translators are not here")
        live.page.click(f'[data-panel="step"] button[data-by="{kind}"]')
        live.settled(f"by={kind}")
        _, _, sums = live.numbers()["drawn.score"]
        trace = store.load(store.find(f"score_{kind}_after")).trace(TEXT)
        want = trace.field("cross.score").values[0, 0, -1]
        np.testing.assert_allclose(sums, want, atol=2e-3, err_msg=kind)
        live.page.wait_for_function(
            "() => document.querySelector('[data-panel=forcing]').innerText.includes('elle')"
        )
    says = "At step 6 it writes “elle”, where you typed “il”"  # empty while it is drawn again
    live.page.wait_for_function(
        "(says) => document.querySelector('[data-panel=forcing] .un-readout').innerText.includes(says)",
        arg=says,
    )
    live.click_in("grid", 0.28, 0.03)  # the name over the first column
    live.settled("by=dot")
