"""Series of numbers in a real browser, one visit: a line is drawn, typed, kept back, and listed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from engine.lessons.series import judge, typed
from engine.lessons.series.nets import HORIZON, MIDDLE
from tests.browser.conftest import Live

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SAID = "(app) => app.panels[0].reader().said"


def test_series(page: Callable[..., Live]) -> None:
    live = page("series", query={"text": "1 2 3 2 1 2 3 2 1 2 3 2"})
    said = live.rest().app(SAID)
    found = judge.foretell(typed.read("1 2 3 2 1 2 3 2 1 2 3 2").values)
    for name, one in found.items():
        assert said["fans"][name][MIDDLE] == pytest.approx(one.middle_H.tolist(), abs=1e-4)
    assert said["season"] == 4

    live.fill("")
    assert live.rest().app(SAID)["fans"] is None
    live.page.get_by_role("button", name="Draw", exact=True).click()
    box = live.page.locator("[data-panel=series] canvas").bounding_box()
    assert box
    live.page.mouse.move(box["x"] + 60, box["y"] + 40)
    live.page.mouse.down()
    for step in range(1, 30):
        live.page.mouse.move(box["x"] + 60 + 10 * step, box["y"] + 40 + 5 * step)
    live.page.mouse.up()
    drawn = typed.read(live.rest().box.input_value()).values
    assert len(drawn) > 10 and (drawn[1:] <= drawn[:-1]).all()
    assert live.rest().app(SAID)["values"] == pytest.approx(drawn.tolist())

    live.page.get_by_role("button", name="Table", exact=True).first.click()
    expect(live.page.locator("[data-panel=series] .un-table tr")).to_have_count(HORIZON + 1)
