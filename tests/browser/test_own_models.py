"""The whole way of one's own text, in a real browser: dropped, trained on, the server killed, gone
on, rewound, compared, taken along."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.core.registry import corpora
from engine.runs.store import RunStore
from engine.storage.run_folder import NOTE
from engine.training import status
from tests.bench.server import serve
from tests.browser.conftest import WAIT_MS, Live, Watch
from tests.conftest import ROOT

SMALL = {"units": 24, "layers": 1, "width": 16, "steps": 3000, "batch": 8, "span": 32}


@pytest.mark.slow  # two of the twelve minutes that `make test` may take
def test_a_novel_becomes_models(browser: Any, tmp_path: Path) -> None:
    home = tmp_path / "home"
    novel = "\n\n".join(corpora.get("stories").generate(400, 5))
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    watch, page = Watch(context), context.new_page()
    page.set_default_timeout(WAIT_MS)
    try:
        with serve(home=home) as server:
            page.goto(f"{server.url}/corpora")
            page.locator('input[type="file"]').first.set_input_files(
                [{"name": "novel.txt", "mimeType": "text/plain", "buffer": novel.encode()}]
            )
            page.get_by_role("button", name="Add this text").click()
            page.wait_for_function("() => location.search.includes('corpus=novel-')")
            text = re.search(r"corpus=(novel-[0-9a-f]+)", page.url)[1]  # type: ignore[index]
            begin(page, server.url, "lstm", text, SMALL)
            folder = home / "runs" / "lstm-mine"
            page.wait_for_function("() => document.body.innerText.includes(' of 3,000')")
            page.get_by_role("button", name="Pause").click()
            page.get_by_role("button", name="Resume").wait_for()
            said = status.read(folder)
            assert said is not None and said.state == status.PAUSED and 0 < said.step < 3000
            server.process.kill()
        with serve(home=home) as server:
            page.goto(f"{server.url}/training?training=lstm-mine")
            page.get_by_role("button", name="Resume").click()
            page.get_by_text("Done.").wait_for(timeout=4 * WAIT_MS)
            run = RunStore(home / "runs").find("lstm-mine")
            assert run.note["steps"] == 3000 and len(run.snapshots) > 4
            begin(page, server.url, "ngram", text, {"order": 3})
            page.get_by_text("Done.").wait_for(timeout=4 * WAIT_MS)

            rewound(Live(page, server.url, "lstm", watch), home)
            page.goto(f"{server.url}/compare?runs=lstm-mine,ngram-mine")
            live = Live(page, server.url, "compare", watch).ready().fill("The old fox sang.")
            assert {"lstm-mine", "ngram-mine"} <= set(
                re.findall(
                    r"(?:lstm|ngram)-mine", live.page.locator('[data-panel="race"]').inner_text()
                )
            )

            page.goto(f"{server.url}/runs?run=lstm-mine")
            with page.expect_download() as found:
                page.get_by_role("button", name="Export as zip").click()
            found.value.save_as(tmp_path / "mine.zip")
    finally:
        context.close()
    other = tmp_path / "another machine"
    command = [sys.executable, "-m", "engine", "unpack", str(tmp_path / "mine.zip")]
    made = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "UNROLLED_HOME": str(other)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    here, there = (RunStore(place / "runs") for place in (home, other))
    same = [
        store.load(store.find("lstm-mine")).trace("The old").field("gate.forget").values
        for store in (here, there)
    ]
    np.testing.assert_array_equal(*same)
    wrong = [
        line
        for line in watch.wrong
        if "ERR_CONNECTION_REFUSED" not in line and "WebSocket" not in line
    ]  # the server that was killed
    assert not wrong, wrong


def begin(page: Any, url: str, model: str, text: str, values: dict[str, int]) -> None:
    """Fill in the form, start, and wait until the training is shown."""
    page.goto(f"{url}/training?model={model}&corpus={text}")
    for title in (
        "The model:",
        *(["Training settings:"] if "steps" in values else []),
        "Name, seed",
    ):
        page.get_by_text(title).click()
    for name, value in values.items():
        field = page.get_by_label(re.compile(rf"^(● )?{name}$"))
        field.fill(str(value))
        field.press("Enter")
        page.get_by_text(f"--set {name}={value}").wait_for(state="attached")
    field = page.get_by_label("Name", exact=True)
    field.fill("mine")
    field.press("Enter")
    page.get_by_text("--title=mine").wait_for(state="attached")
    page.get_by_role("button", name="Start training").click()
    page.wait_for_function(
        "(id) => location.search.includes(`training=${id}`)", arg=f"{model}-mine"
    )


def rewound(live: Live, home: Path) -> None:
    """The gates of one's own sentence at the end and at an early step are those of the models
    there."""
    store = RunStore(home / "runs")
    run = store.find("lstm-mine")
    early = list(run.snapshots)[2]
    sentence = "The red fox waits."
    for id in ("lstm-mine", f"lstm-mine@{early}"):
        live.open(run=id, text=sentence).painted(sentence)
        _, _, gate = live.numbers()["gate.forget"]
        np.testing.assert_allclose(
            gate, store.load(store.find(id)).trace(sentence).field("gate.forget").values, atol=1e-6
        )
    assert (home / "runs" / "lstm-mine" / NOTE).is_file()
