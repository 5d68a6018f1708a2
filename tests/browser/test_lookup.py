"""The page on soft lookup in a real browser: the weights on the screen are softmax of the model's
cosines, at the temperature that is set."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from engine.analysis import soft_lookup
from tests.browser.conftest import Live
from tests.conftest import shipped

pytestmark = pytest.mark.browser
TEXT = "four\none: 1\nthree: 3\nfive: 5\nnine: 9"


def test_weights_are_the_softmax_of_cosines(page: Callable[..., Live]) -> None:
    live = page("lookup", query={"rules": "6.cosine"}).fill(TEXT)
    model, typed = shipped("skipgram"), soft_lookup.read(TEXT)
    key_MD = np.array([soft_lookup.meaning(model, key).vector_D for key in typed.keys])
    found = soft_lookup.match(soft_lookup.meaning(model, "four").vector_D, key_MD)
    for t in (0.02, 0.1):
        if t == 0.1:
            live.page.locator('[data-panel="lookup"] input[type=range]').fill("20")
            live.settled("rules=20.cosine")
        drawn = live.numbers()
        np.testing.assert_allclose(drawn["lookup.score"][2], found.cosine_M, atol=1e-5)
        want = soft_lookup.weights(found.cosine_M, t)
        np.testing.assert_allclose(drawn["lookup.weight"][2], want, atol=1e-4)
    live.page.locator('[data-panel="lookup"] select').select_option("dot")
    live.settled("rules=20.dot")
    np.testing.assert_allclose(live.numbers()["lookup.score"][2], found.dot_M / 10, atol=1e-5)
