"""Every page, opened by somebody with the ids of another person's text, run and training in the
address: it shows nothing of them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from engine import ROOT
from engine.lessons.curriculum import LESSONS
from engine.people.accounts import Person, identity
from engine.runs.store import RunStore
from engine.storage import home
from engine.storage.run_folder import NOTE
from engine.text.collection import Library
from engine.training import job
from pages.ui import people

ADA, EVE = (Person(identity("name", name), name) for name in ("Ada", "Eve"))
WORD, TITLE = "xylophonist", "Ada's very own run"


@pytest.fixture
def hers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_folder: Callable[[str], Path]
) -> dict[str, str]:
    """What Ada has; whoever opens a page from now on is Eve."""
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path))
    with home.acting(ADA.id):
        text = Library().add(f"The {WORD} plays.\n" * 30, WORD)
        for id in ("lstm", "ngram"):
            shutil.copytree(run_folder(id), place := home.home() / "runs" / f"adas-{id}")
            note = json.loads((place / NOTE).read_text())
            (place / NOTE).write_text(json.dumps({**note, "title": TITLE}))
        begun = home.home() / "runs" / "adas-training"
        begun.mkdir()
        job.Job("ngram", (text.id,), title=TITLE).write(begun)
        assert {run.title for run in RunStore().all()} >= {TITLE}
    monkeypatch.setattr(people, "are_several", lambda: True)
    return {"corpus": text.id, "run": "adas-lstm", "training": "adas-training", "a": "adas-ngram"}


@pytest.mark.parametrize("id", [item.id for item in LESSONS])
def test_no_page_shows_what_is_another_persons(
    id: str, hers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = next(item.page for item in LESSONS if item.id == id)
    for one in (ADA, EVE):  # what is kept of Ada's visit must not answer Eve
        monkeypatch.setattr(people, "person", lambda one=one: one)
        at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        at.query_params.update(hers)
        at.switch_page(f"pages/{page}").run()
        assert not at.exception, at.exception
        assert any(f"Signed in as {one.name}" in line.value for line in at.sidebar.caption)
    said = "\n".join(str(element) for element in at)
    assert said and WORD not in said and TITLE not in said
