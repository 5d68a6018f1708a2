"""The page on scores in a real browser: the numbers on the screen are the models' scores, for every kind of score;
a button opens one, and its translator is asked to write."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from engine.core.registry import scores
from engine.runs.store import SHIPPED, RunStore
from tests.browser.conftest import Live

pytestmark = pytest.mark.browser
TEXT = "The key is white and it is small\nLa clé est blanche et il est petit"


def test_every_score_is_the_models(page: Callable[..., Live]) -> None:
    if not all((SHIPPED / f"score_{kind}_after").is_dir() for kind in scores.listed()):
        pytest.skip("the small translators are not here")
    live = page("scores").fill(
        "The key is white and it is small\nLa clé est blanche et il est peti"
    )
    live.type("t")
    numbers, store = live.numbers(), RunStore()
    for kind in scores.listed():
        axes, _, score_TS = numbers[f"{kind}.score"]
        assert axes == ["token", "source"], kind
        trace = store.load(store.find(f"score_{kind}_after")).trace(TEXT)
        want = trace.field("cross.score").values[0, 0, -1]
        np.testing.assert_allclose(score_TS[-1], want, atol=2e-3, err_msg=kind)
    for kind in reversed(scores.listed()):
        live.page.click(f'[data-panel="step"] button[data-view="{kind}"]')
        live.settled(f"by={kind}")
    live.page.wait_for_function(  # empty while it is drawn again
        "(says) => document.querySelector('[data-panel=forcing] .un-readout').innerText.includes(says)",
        arg="At step 6 it writes “elle”, where you typed “il”",
    )
