"""Of a model with many layers and heads, in a real browser: what is folded, and that a click, a key or a button shows
the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from engine.core.registry import models
from engine.lessons.transformer import lens, live
from engine.runs import store
from engine.training.fit import fit
from tests.bench.server import serve
from tests.browser.conftest import Live, somebody
from tests.conftest import TEXT, small

pytestmark = pytest.mark.slow
SHORT = "the cat sat"
VIEW = "(app, id) => app.panels.find((p) => p.spec.id === id).view"
LAYERS, HEADS = 17, 4


def test_one_layer_is_open_and_what_matters_comes_first(browser: Any, tmp_path: Path) -> None:
    home = tmp_path / "home"
    of: Any = {"layers": LAYERS, "heads": HEADS, "width": 16, "tokenizer": "chars", "steps": 1}
    config = small(models.get("transformer"), **of)
    for _ in fit(
        home / "runs" / "deep", store.Recipe("transformer", config, store.digest(TEXT), 0), TEXT
    ):
        pass
    runs = store.RunStore(home / "runs")
    model: Any = runs.load(runs.find("deep"))
    trace = model.trace(SHORT)
    with somebody(browser) as page, serve(home=home) as server:
        page.url = server.url
        page.name = "transformer"
        page.open(run="deep", text=SHORT).painted()
        stops_follow(page, trace)
        of_the_lens(page, model)
        page.name = "heads"
        page.open(run="deep", text=SHORT).painted()
        heads_that_look(page, trace.field("attention").values)


def stops_follow(page: Live, trace: Any) -> None:
    def columns() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = page.app(
            f"(app, id) => ({VIEW})(app, id).box.columns", "flow"
        )
        return found

    stops = 6 * LAYERS + 6
    assert len(columns()) == 6 + 6 + LAYERS - 1
    seventh = next(column for column in columns() if column["n"] == 3 + 6 * 7 - 1)
    assert not seventh["whole"]
    canvas = page.panel("flow").locator("canvas")
    canvas.scroll_into_view_if_needed()
    canvas.hover(position={"x": seventh["x"] + seventh["w"] / 2, "y": 90})
    page.says(
        "flow", f"Stop {seventh['n'] + 1} of {stops}: layer 7, stream after feed-forward", "h3"
    )
    assert next(column for column in columns() if column["n"] == seventh["n"]) == seventh
    canvas.click(position={"x": seventh["x"] + seventh["w"] / 2, "y": 90})
    page.settled(f"stop={seventh['n']}")
    assert sum(column["whole"] for column in columns()) == 12
    assert {column["n"] for column in columns() if column["whole"]} >= set(range(39, 45))
    page.page.mouse.move(0, 0)
    np.testing.assert_allclose(
        page.numbers()["stop"][2], trace.field("residual").values[6, -1], atol=1e-4
    )
    page.panel("flow").get_by_role("button", name="Play").press("ArrowDown")
    page.says("flow", "layer 8, norm", "h3")


def of_the_lens(page: Live, model: Any) -> None:
    trace = model.trace(SHORT, fields=lens.NEEDS)
    found = {
        field.spec.name: field.values
        for field in live.read_lens(model, trace, 0, len(trace.tokens))
    }
    worth_L = found["lens.worth"][:, -1]
    inner = sorted(range(1, LAYERS), key=lambda n: -worth_L[n])[:10]
    rows = f"(app, id) => ({VIEW})(app, id).box.rows"
    assert page.app(rows, "lens") == sorted([0, *inner, LAYERS])
    page.panel("lens").get_by_role("button", name=f"Show all {LAYERS + 1}").click()
    assert page.app(rows, "lens") == [*range(LAYERS + 1)]


def heads_that_look(page: Live, weight_LNTT: np.ndarray) -> None:
    def shown() -> list[tuple[int, int]]:
        spots = page.app(f"(app, id) => ({VIEW})(app, id).spots.map((s) => s.place)", "wall")
        return [(spot["layer"], spot["head"]) for spot in spots]

    other_LN = weight_LNTT[:, :, -1, 1:-1].max(-1)
    first = sorted(np.ndindex(LAYERS, HEADS), key=lambda at: (at != (0, 0), -other_LN[at]))[:24]
    assert shown() == sorted(first)
    every = page.panel("wall").get_by_role("button", name=f"Show all {LAYERS * HEADS}")
    every.click()
    assert shown() == [*np.ndindex(LAYERS, HEADS)]
    back = page.panel("wall").get_by_role("button", name=f"Show only 24 of {LAYERS * HEADS}")
    expect(back).to_have_attribute("aria-expanded", "true")
    back.click()
    assert shown() == sorted(first)
