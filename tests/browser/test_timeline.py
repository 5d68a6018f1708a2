"""The time machine in a real browser: a link, keys, a drag and the player take the gates back to a
step; the address says which."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from engine.core.registry import models
from engine.runs.store import Recipe, Run, RunStore, digest
from engine.training.fit import fit
from tests.browser.conftest import Live
from tests.conftest import TEXT, small

NAME, SAID = "lstm-kept", "She said yes"
NOW = """() => document.querySelector("[data-timeline]").timeline"""
SAYS = '[data-timeline] [role="slider"]'


@pytest.fixture
def run(runs_of: tuple[Path, Any]) -> Iterator[Run]:
    """A small LSTM that kept steps on its way, among the server's runs for as long as this test
    takes."""
    folder = runs_of[0] / "runs" / NAME
    for _ in fit(
        folder,
        Recipe("lstm", small(models.get("lstm")), digest(TEXT), 0),
        TEXT,
        snapshots=6,
        probes=6,
        prompts=["The "],
    ):
        pass
    yield RunStore(folder.parent).find(NAME)
    shutil.rmtree(folder)


@pytest.mark.slow
def test_every_way_to_a_step(page: Callable[..., Live], run: Run) -> None:
    steps = [*run.snapshots]
    assert steps[0] == 1 and steps[-1] == 30 and len(steps) >= 5
    live = page("lstm", query={"run": f"{NAME}@{steps[2]}", "text": SAID})
    tab, slider = live.page, live.page.locator(SAYS)

    def shows(step: int) -> None:
        """The slider is there, and the gates drawn are those of the model at that step."""
        tab.wait_for_function(
            f"(step) => {{ const now = ({NOW})(); return now.step === step && now.idle; }}",
            arg=step,
        )
        at = run.at(None if step == steps[-1] else step)
        trace = RunStore().load(at).trace(SAID)
        tab.wait_for_function(
            "(id) =>"
            " document.querySelector('[data-unrolled]').parentElement.unrolledApp.readers.get('lstm').spec.run"
            " === id",
            arg=at.id,
        )
        live.painted(SAID)
        numbers = live.numbers()
        for name in ("gate.forget", "cell"):
            np.testing.assert_allclose(
                numbers[name][2],
                trace.field(name).values,
                atol=1e-6,
                err_msg=f"{name} at step {step}",
            )
        assert slider.get_attribute("aria-valuetext").startswith(f"step {step} of 30")
        expect(slider).to_have_attribute("aria-valuenow", str(steps.index(step)))

    shows(steps[2])  # the link
    slider.focus()
    for key, step in (
        ("ArrowRight", steps[3]),
        ("Home", 1),
        ("ArrowLeft", 1),
        ("End", 30),
        ("ArrowDown", steps[-2]),
    ):
        slider.press(key)
        shows(step)
    live.settled(f"run={NAME}%40{steps[-2]}")

    box = slider.bounding_box()
    tab.mouse.move(box["x"] + box["width"] - 15, box["y"] + box["height"] / 2)
    tab.mouse.down()
    for share in (0.8, 0.6, 0.4, 0.2, 0.0):  # quicker than the page can answer: the last one counts
        tab.mouse.move(box["x"] + 40 + share * (box["width"] - 60), box["y"] + box["height"] / 2)
    tab.mouse.up()
    shows(1)

    tab.locator("[data-timeline]").get_by_role("button", name="Play").click()
    tab.wait_for_function(f"() => {{ const now = ({NOW})(); return now.playing && now.step > 1; }}")
    tab.locator("[data-timeline]").get_by_role("button", name="Stop").click()
    stopped = tab.evaluate(NOW)
    assert not stopped["playing"] and 1 < stopped["step"] < 30
    shows(stopped["step"])
    tab.get_by_role("button", name="Back to the end").click()
    shows(30)
    tab.wait_for_function(
        "(name) => new URLSearchParams(location.search).get('run') === name", arg=NAME
    )
    small_targets = tab.eval_on_selector_all(
        "[data-timeline] button, [data-timeline] canvas",
        "(all) => all.filter((n) => n.checkVisibility() && n.getBoundingClientRect().height < 32).length",
    )
    assert small_targets == 0
