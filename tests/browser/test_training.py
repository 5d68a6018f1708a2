"""A training from its start on the page to its lesson, in a real browser, with a reload on the
way."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.runs.store import Run, RunStore
from engine.training import job, status
from tests.bench.server import Server
from tests.browser.conftest import WAIT_MS, Live, Watch

pytestmark = pytest.mark.browser


@pytest.mark.slow  # test_own_models goes the same way, with a pause and a killed server
def test_train_watch_reload_and_open(
    browser: Any, server: Server, runs_of: tuple[Path, Callable[[str], Run]]
) -> None:
    root = runs_of[0] / "runs"
    folder = root / "rnn-seen"
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    watch, page = Watch(context), context.new_page()
    page.set_default_timeout(WAIT_MS)
    try:
        page.goto(f"{server.url}/training?model=rnn&corpus=scenes")
        page.get_by_text("Training settings:").click()
        steps = page.get_by_label("steps", exact=True)
        steps.fill("40")
        steps.press("Enter")
        page.get_by_text("Changed:").wait_for()
        page.get_by_text("Name, seed, samples").click()
        page.get_by_label("Name", exact=True).fill("seen")
        page.get_by_label("Name", exact=True).press("Enter")
        page.get_by_text("--title=seen").wait_for(state="attached")
        page.get_by_role("button", name="Start training").click()
        page.get_by_text("Trainings on this computer").wait_for()
        page.wait_for_function("() => location.search.includes('training=rnn-seen')")
        page.reload()
        page.get_by_role("heading", name="seen").wait_for()

        page.get_by_text("Done.").wait_for(timeout=4 * WAIT_MS)
        charts = page.locator('[data-testid="stVegaLiteChart"]')
        charts.nth(2).wait_for()
        page.get_by_text("Samples during training").wait_for()
        run = RunStore(root).find("rnn-seen")
        assert (run.title, run.note["steps"], run.note["config"]["steps"]) == ("seen", 40, 40)
        held_out = (
            page.locator('[data-testid="stMetric"]')
            .filter(has_text="Held-out loss")
            .locator('[data-testid="stMetricValue"]')
        )
        assert float(held_out.inner_text()) < 4
        page.set_viewport_size({"width": 390, "height": 900})
        page.wait_for_function(
            "() => { const e = document.querySelector('[data-testid=stMain]'); return e.clientWidth"
            " <= 390 && e.scrollWidth === e.clientWidth; }"
        )

        page.get_by_role("link", name="Recurrent net").last.click()
        live = Live(page, server.url, "rnn", watch).ready().fill("the cat sat")
        assert page.evaluate("() => new URLSearchParams(location.search).get('run')") == "rnn-seen"
        _, _, hidden = live.numbers()["hidden"]
        np.testing.assert_allclose(
            hidden, RunStore(root).load(run).trace("the cat sat").field("hidden").values, atol=1e-6
        )
    finally:
        context.close()
        if (last := status.read(folder)) and last.alive:
            job.drop(folder)
        shutil.rmtree(folder, ignore_errors=True)
    assert not watch.wrong, watch.wrong
