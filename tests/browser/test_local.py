"""The page on local and hard attention in a real browser: what the numbers on the screen make of the
weights is the model's, and draws come to the exact slope."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from engine.analysis import hard_choice
from engine.lessons.local import panels
from engine.models.seq2seq import SCOPES
from engine.runs.store import SHIPPED, RunStore
from tests.browser.conftest import Live

pytestmark = pytest.mark.browser
TEXT = "The small black cat ate the mouse\nLe petit chat"


def test_weights_and_slopes_are_the_models(page: Callable[..., Live]) -> None:
    if not all((SHIPPED / id).is_dir() for id in panels.SHIPPED.values()):
        pytest.skip("the small translators are not here")
    live = page("local").fill(TEXT)
    store = RunStore()
    for n, scope in enumerate(SCOPES):
        live.click_in("scopes", 0.03, (62 + 74 * (n + 0.5)) / (62 + 74 * 4))
        live.settled(f"by={scope}")
        trace = store.load(store.find(panels.SHIPPED[scope])).trace(TEXT)
        name = "cross.weight" if "cross.weight" in trace else "cross.attention"
        _, _, made = live.numbers()["drawn.weight"]
        np.testing.assert_allclose(made, trace.field(name).values[0, 0, -1], atol=2e-3)
    model = store.load(store.find(panels.SHIPPED["hard"]))
    trace = model.trace(TEXT)
    reward_S = hard_choice.choices(model, trace, trace.ids[1:]).reward_TS[-1]
    panel = live.page.locator('[data-panel="learns"]')
    panel.get_by_label("Temperature").select_option("2")
    power_S = np.exp(trace.field("cross.score").values[0, 0, -1].astype(float) / 2)
    _, _, exact = live.numbers()["drawn.exact"]
    want_S = hard_choice.expected(power_S / power_S.sum(), reward_S)
    np.testing.assert_allclose(exact, want_S, atol=1e-3)
    panel.get_by_role("button", name="Draw 1000").click()
    live.page.wait_for_function(
        "() => document.querySelector('[data-panel=learns]').innerText.includes('After 1010 draws')"
    )
