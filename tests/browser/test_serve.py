"""Two people at two processes behind one port: one queue of trainings, whose runs all have; a
process may die and a run be deleted meanwhile."""

from __future__ import annotations

import os
import re
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from engine.cli import serve
from engine.jobs import control
from engine.runs import own
from engine.runs.store import RunStore
from engine.storage.run_folder import PACE
from engine.training import job, status
from tests.bench.workers import Shared, several
from tests.browser.conftest import WAIT_MS, enter, somebody

pytestmark = [
    pytest.mark.slow,  # two servers and two trainings: a minute and a half
    pytest.mark.browser,
    pytest.mark.skipif(
        shutil.which("haproxy", path=serve.PLACES) is None,
        reason="there is no HAProxy on this computer (`apt-get install haproxy`)",
    ),
]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    place = tmp_path_factory.mktemp("serve")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UNROLLED_TRAININGS", "1")
        with several(2, place / "home", place / "log") as server:
            yield server
    for folder in job.unfinished([place / "home" / "runs"]):
        job.drop(folder)
    assert "Traceback" not in server.said(), server.said()


def fill(page: Any, url: str, name: str, steps: int) -> None:
    page.goto(f"{url}/training?model=rnn&corpus=scenes")
    page.get_by_text("Training settings:").click()
    box = page.get_by_label("steps", exact=True)
    enter(box, str(steps))
    page.get_by_text("Changed:").wait_for()
    page.get_by_text("Name, seed, samples").click()
    enter(page.get_by_label("Name", exact=True), name)
    page.get_by_text(f"--title={name}").wait_for(state="attached")


def test_one_queue_for_all_whose_runs_all_have(
    browser: Any, shared: Shared, tmp_path: Path
) -> None:
    root = shared.log.parent / "home" / "runs"

    def at(worker: int) -> Any:
        name, _, value = shared.cookie(worker).partition("=")
        return somebody(browser, name=name, value=value, url=shared.url)

    with at(1) as first, at(2) as live:
        one, two, live.url, live.name = first.page, live.page, shared.url, "rnn"
        first.watch.allowed = re.compile("")  # its process dies
        fill(one, shared.url, "first", 20_000)
        fill(two, shared.url, "second", 20)
        for page in (one, two):
            page.get_by_role("button", name="Start training").click()
            page.get_by_text("Trainings on this computer").wait_for()
        two.get_by_text("first:").first.wait_for()  # of the other process
        two.get_by_text("second: queued").first.wait_for()
        said = status.read(root / "rnn-first")
        assert said is not None and said.alive

        # its process dies: the training goes on, and who watched it is shown it by another
        (dead,) = [
            child
            for child in psutil.Process(shared.process.pid).children()
            if f"--server.port={shared.workers[0]}" in child.cmdline()
        ]
        os.kill(dead.pid, signal.SIGKILL)
        one.reload()
        one.get_by_role("heading", name="first").wait_for()
        now = status.read(root / "rnn-first")
        assert now is not None and now.alive and now.pid == said.pid

        # ended by the other process, it makes way for the second
        assert not (root / "rnn-second" / PACE).exists()
        control.write(root / "rnn-first", control.STOP)
        two.get_by_text("Done.").wait_for(timeout=4 * WAIT_MS)
        order = [RunStore(root).find(f"rnn-{name}") for name in ("first", "second")]
        one.goto(f"{shared.url}/runs")
        for name in ("first", "second"):
            one.get_by_text(name).first.wait_for(state="attached")

        live.open(run="rnn-first").fill("the cat sat")
        model = RunStore(root).load(order[0])
        live.shows(model, "hidden")
        # somebody deletes it while it is shown
        own.delete(order[0], RunStore(root))
        live.fill("the cat sat on").shows(model, "hidden")
        two.reload()
        two.get_by_text("This page cannot show a run “rnn-first”").wait_for()
