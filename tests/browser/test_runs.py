"""The page Runs in a real browser: a run is looked at, exported, deleted, brought back, and answers
as before."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.runs.archive.pack import pack
from engine.runs.store import Run, RunStore
from engine.storage.run_folder import WEIGHTS
from tests.bench.server import Server
from tests.browser.conftest import WAIT_MS, WIDE, somebody


@pytest.mark.slow
def test_a_run_goes_and_comes_back(
    browser: Any,
    server: Server,
    run_folder: Callable[[str], Path],
    runs_of: tuple[Path, Callable[[str], Run]],
    tmp_path: Path,
) -> None:
    root = runs_of[0] / "runs"
    shutil.copytree(run_folder("lstm"), root / "brought")
    (root / "brought" / WEIGHTS).touch()  # the newest of one's own, whatever other tests trained
    store = RunStore(root)
    model = store.load(store.find("brought"))
    with contextlib.ExitStack() as done:
        done.callback(shutil.rmtree, root / "brought", ignore_errors=True)
        live = done.enter_context(somebody(browser))
        page, live.url, live.name = live.page, server.url, "lstm"
        page.goto(f"{server.url}/runs")
        page.get_by_role("heading", name="brought").wait_for()  # one's own runs come first
        page.locator('[data-testid="stVegaLiteChart"] svg').first.wait_for()
        assert page.evaluate(WIDE) == [0, 0]
        # tables come in any order, that of the settings too
        table = page.locator('[class*="st-key-runs_table"] .dvn-scroller')
        table.click(position={"x": 16, "y": 36 * 1.5 + 36})
        page.wait_for_function("() => location.search.includes('run=')")
        page.get_by_role("heading", name="brought").wait_for(state="detached")
        table.click(position={"x": 16, "y": 36 * 1.5})
        page.get_by_role("heading", name="brought").wait_for()

        with page.expect_download() as found:
            page.get_by_role("button", name="Export as zip").click()
        found.value.save_as(tmp_path / "brought.zip")
        pack(store.find("brought"), tmp_path / "again.zip")
        assert (tmp_path / "brought.zip").read_bytes() == (tmp_path / "again.zip").read_bytes()

        page.get_by_role("button", name="Delete", exact=True).click()
        page.get_by_role("button", name="Delete it").click()
        page.get_by_text("brought is deleted").wait_for()
        assert not (root / "brought").exists()

        page.wait_for_function(
            "() => document.querySelector('[data-testid=\"stApp\"]').dataset.testScriptState ==="
            " 'notRunning'"
        )  # the page is drawn anew
        page.get_by_text("Add a model").click()
        page.locator('input[type="file"]').set_input_files(tmp_path / "brought.zip")
        page.get_by_role("button", name="Add these files").click()
        # a process of its own opens it
        page.get_by_text("Imported: brought").wait_for(timeout=4 * WAIT_MS)
        page.get_by_role("heading", name="brought").wait_for()
        page.set_viewport_size({"width": 390, "height": 900})
        # the table follows a moment later
        page.wait_for_function(f"() => ({WIDE})().every((more) => more === 0)")
        page.get_by_role("link", name="LSTM gates").last.click()
        live.ready().fill("the cat sat")
        assert page.evaluate("() => new URLSearchParams(location.search).get('run')") == "brought"
        live.shows(model, "gate.forget")
