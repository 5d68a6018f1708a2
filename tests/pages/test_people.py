"""Every page, asked by address and messages for another person's text, run and training: nothing of them is shown."""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from engine import ROOT
from engine.course.curriculum import LESSONS
from engine.people.accounts import Person, identity
from engine.runs.store import RunStore
from engine.storage import home
from engine.storage.run_folder import NOTE
from engine.text.collection import Library
from engine.training import job
from pages.ui import people
from tests.fuzz import test_addresses, test_messages
from tests.pages import test_every_page

ADA, EVE = (Person(identity("name", name), name) for name in ("Ada", "Eve"))
WORD, TITLE = "xylophonist", "Ada's very own run"
# pages that list texts, trainings and runs, and a live one; the others with `make bench`
DOORS = ("corpora", "training", "runs", "lstm")
OF_THE_WIRE = {"text", "seq", "base", "base_start", "have", "start"}  # given by `answered`


@pytest.fixture
def hers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_folder: Any) -> dict[str, str]:
    """What Ada has; whoever opens a page from now on is Eve."""
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path))
    with home.act_as(ADA.id):
        text = Library().add(f"The {WORD} plays.\n" * 30, TITLE)
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


def every(names: list[str], hers: dict[str, str]) -> dict[str, str]:
    """An id of Ada's under each name."""
    ids = itertools.cycle(hers.values())
    return {name: id for name, id in zip(names, ids, strict=False) if name != "lang"} | hers


def visit(page: str, one: Person, hers: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """Somebody opens a page at an address with Ada's ids under every name that a page reads."""
    monkeypatch.setattr(people, "person", lambda: one)
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    controls = test_addresses.controls(dict(test_addresses.PAGES)[page])
    at.query_params.update(every([*test_addresses.names(), *controls], hers))
    if page != "app.py":
        at.switch_page(page)
    at.run()
    assert not at.exception, at.exception
    assert any(f"Signed in as {one.name}" in line.value for line in at.sidebar.caption)
    return at


@pytest.mark.parametrize(
    ("page", "id"),
    [
        pytest.param(page, id, marks=() if id in DOORS else pytest.mark.slow)
        for page, id in test_addresses.PAGES
    ],
    ids=lambda value: value or "home",
)
def test_no_page_shows_another_persons(page: str, id: str, hers: Any, monkeypatch: Any) -> None:
    for one in (ADA, EVE):  # what is kept of Ada's visit must not answer Eve
        at = visit(page, one, hers, monkeypatch)
    said = "\n".join(str(element) for element in at)
    assert said and WORD not in said and TITLE not in said
    if (live := id or "home") not in test_every_page.PAGES:
        return
    whole: tuple[Callable[[str], Any], ...] = (str, lambda v: [v], lambda v: {"id": v, "run": v})
    for shape in whole:  # as every field of a message
        fields = {name: shape(v) for name, v in every(test_messages.names(), hers).items()}
        fields = {name: v for name, v in fields.items() if name not in OF_THE_WIRE}
        reply, _ = test_every_page.answered(at, live, "The king said", **fields)
        assert WORD not in str(reply) and TITLE not in str(reply)
    panels = [panel["id"] for panel in reply["layout"].get("panels", [])]
    for panel, format in itertools.product([*panels, hers["run"]], ("csv", "py")):
        told, file = wished(at, live, panel, format, every(test_messages.names(), hers))
        assert WORD not in str(told) and TITLE not in str(told)
        for secret in (WORD, TITLE, *hers.values()):
            assert secret.encode() not in file, (panel, format)


def wished(at: AppTest, page: str, panel: str, format: str, chosen: Any) -> tuple[Any, bytes]:
    """What is said of the file that somebody wishes for, and its bytes."""
    wish = {"id": 1, "panel": panel, "format": format, "text": "The king said"}
    at.session_state[f"live-{page}.save"] = {**wish, "selection": chosen}
    header, _ = test_every_page.answered(at, page, "The king said")
    (component,) = [c for c in at.get("bidi_component") if c.proto.bytes]
    size = header["file"].get("size", 0)
    return header["file"], component.proto.bytes[-size:] if size else b""


def test_whose_it_is_sees_it(hers: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What the test above looks for is there to be found: in Ada's pages and in her files."""
    page = {item.id: f"pages/{item.page}" for item in LESSONS}
    for id in ("corpora", "lstm"):
        at = visit(page[id], ADA, hers, monkeypatch)
        assert TITLE in "\n".join(str(element) for element in at), id
    header, _ = test_every_page.answered(at, "lstm", "The king said")
    panel = next(panel["id"] for panel in header["layout"]["panels"] if panel["numbers"])
    told, file = wished(at, "lstm", panel, "py", {})
    assert hers["run"].encode() in file, told
