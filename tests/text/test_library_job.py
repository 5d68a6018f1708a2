"""An upload read and stored by a process of its own: the same as read here, bounded, and nothing is
left when it goes wrong.  Paged texts."""

from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as bounds
from hypothesis import strategies as st

from engine.jobs import process, staged, status
from engine.jobs.status import STARTING, Status
from engine.storage.run_folder import STATUS
from engine.text.collection import Library, hub, job, reading
from engine.text.collection.job import Job
from engine.text.collection.paged import PagedCorpus
from engine.text.collection.search import extract, search
from tests.conftest import ROOT

NOVEL = "".join(f"On day {i} the captain said that the sea was grey.\n" for i in range(300))
TEXT: dict[str, Any] = {"kind": "text", "columns": None, "look": True}


def wait(of: Job) -> Job:
    until = time.monotonic() + 180
    while of.state.alive:
        assert time.monotonic() < until, "it goes on and on"
        time.sleep(0.05)
    return of


def left(root: Path) -> list[str]:
    return sorted(path.name for path in root.glob("*"))


def test_a_process_reads_and_stores_what_would_be_read_here(tmp_path: Path) -> None:
    files = [
        ("novel.txt", NOVEL.encode("cp1252") + b"\xe9t\xe9\0\n"),
        ("torn.docx", b"PK\x03\x04 torn"),
        ("moods.csv", b"mood,line\ngood,a day\nbad,rain\n"),
    ]
    one = Job(files, tmp_path)
    assert stat.S_IMODE(one.folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(p.stat().st_mode) for p in one.folder.glob("*.part")} == {0o600}
    one.ask("read", **TEXT)
    assert one.state.alive
    assert wait(one).result("read") == {"columns": ["mood", "line"], "read": None}
    one.ask("read", **{**TEXT, "columns": ["line"], "look": False})
    found = job.opened(wait(one).result("read")["read"])
    here = reading.read(files, "text", ["line"], lambda share, what: None)
    assert here.pages is not None
    text = here.pages.whole()
    assert found == here and found.pages is None and here.characters == len(text)
    assert (one.folder / job.TEXT).read_text(encoding="utf-8") == text
    assert text.endswith("a day\nrain\n")
    assert len(here.problems) == 1
    one.ask("add", name="A name", kind="text")
    added = wait(one).result("add")
    stored = Library(tmp_path).all()[0]
    assert added == {"id": stored.id, "title": "A name", "known": False}
    assert stored.whole() == text and stored.about["notes"] == list(here.notes)
    one.ask("add", name="Another", kind="text")
    assert wait(one).result("add")["known"] and left(tmp_path) == [one.folder.name, stored.id]
    del one
    assert left(tmp_path) == [stored.id], "who forgets a job leaves nothing of it"


def test_one_that_is_stopped_or_killed_is_said_and_can_begin_again(tmp_path: Path) -> None:
    one = Job([("novel.txt", NOVEL.encode())], tmp_path)
    one.ask("read", **TEXT)
    one.stop()
    assert one.state.error == staged.ENDED and not one.state.alive
    one.forget("read")
    one.ask("read", **TEXT)
    one._child[-1].kill()
    one._child[-1].wait()
    assert one.state.error == staged.KILLED and one.result("read") is None
    one.close()
    assert not left(tmp_path)


def test_a_process_whose_starter_is_gone_leaves_nothing(tmp_path: Path) -> None:
    code = f"""import os; from pathlib import Path; from engine.text.collection.job import Job
one = Job([("a.txt", b"a text"*9)], Path({str(tmp_path)!r}))
one.ask("read", kind="text", columns=None, look=True); os._exit(9)"""
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False, timeout=60)
    assert ended.returncode == 9
    until = time.monotonic() + 60
    while left(tmp_path) and time.monotonic() < until:
        time.sleep(0.05)
    assert not left(tmp_path)


def test_a_full_disk_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as m, pytest.raises(ValueError, match="the disk is full"):
        m.setattr(staged, "put", full)
        Job([("novel.txt", NOVEL.encode())], tmp_path)
    assert not left(tmp_path)
    one, save = Job([("novel.txt", NOVEL.encode())], tmp_path), job.save
    (one.folder / staged.REQUEST).write_text(
        json.dumps({"do": "read", "names": one.names, "memory": 0, "starter": os.getppid(), **TEXT})
    )
    monkeypatch.setattr(job, "save", full)
    monkeypatch.setattr(process, "limit_memory", lambda *_: None)  # this process goes on
    Job.work(one.folder)
    assert "the disk is full" in json.loads((one.folder / STATUS).read_text())["error"]
    assert not (one.folder / "read.json").exists()
    monkeypatch.setattr(job, "save", save)
    status.write(one.folder, Status(STARTING, pid=os.getpid(), born=process.me()[1]))
    monkeypatch.setattr("engine.storage.files.os.fsync", full)  # no file can be written any more
    Job.work(one.folder)
    assert json.loads((one.folder / STATUS).read_text())["error"].startswith("the disk is full")
    for _ in range(2):  # what was refused can be asked for again
        with pytest.raises(ValueError, match=r"^the disk is full"):
            one.ask("read", **TEXT)


def test_how_much_is_needed_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Free:
        free = 300_000

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("engine.storage.files.shutil.disk_usage", lambda _: Free)
    monkeypatch.setattr("engine.storage.files.os.fsync", full)
    with pytest.raises(ValueError, match=r"full: 0\.8 MB are needed and 0\.3 MB are free, so"):
        Library(tmp_path).add(NOVEL * 52, "A novel")
    assert not left(tmp_path)


@pytest.mark.skipif(
    sys.platform != "linux", reason="only there a process can be held to so much memory"
)
def test_too_little_memory_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Job, "least", 90_000_000)
    monkeypatch.setattr(Job, "share", 0.0)
    one = Job([("long.txt", NOVEL.encode() * 3_000)], tmp_path)
    one.ask("read", **TEXT)
    wait(one)
    result = one.result("read")
    said = one.state.error or " ".join(result["read"]["problems"])
    assert "not enough memory" in said
    assert "cut it into parts" in said
    assert result is None or not result["read"]["characters"]


def test_the_hub_is_asked_for_names_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("engine", "engine/text/collection", "../main", "/etc", "a b"):
        with pytest.raises(ValueError, match="is not the name of a data set"):
            hub.columns(name if name != "../main" else f"../{ROOT.name}")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    one = Job((), tmp_path)
    one.ask("read", **TEXT, hub="owner/name", part="train")
    assert (
        "the hub can't be reached" in wait(one).state.error or "is not installed" in one.state.error
    )


@bounds(max_examples=60, deadline=None)
@given(
    st.text("aé日👩\n ", min_size=1, max_size=60).filter(str.strip),
    st.sampled_from(("text", "labelled")),
    st.integers(4, 9),
    st.integers(-70, 70),
    st.integers(-70, 70),
    st.text("aé👩", min_size=1, max_size=2),
)
def test_a_paged_text_is_the_text(
    text: str, kind: str, block: int, start: int, stop: int, words: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        lines = [line for line in text.split("\n") if line.strip()]
        content = text if kind == "text" else [("label", line) for line in lines]
        stored = Library(Path(folder)).add(content, "paged", kind=kind)
        joined = "".join(f"{' '.join(line.split())}\n" for line in lines)
        whole = stored.whole() if kind == "text" else joined
        paged = PagedCorpus(stored, block)
        assert len(paged) == len(whole)
        assert paged[start:stop] == whole[start:stop]
        assert paged[0] == whole[0]
        for at in range(len(whole) + 1):
            assert paged.lines(0, at) == whole[:at].count("\n")
        assert search(paged, words) == search(whole, words)
        assert extract(paged, abs(start), 5) == extract(whole, abs(start), 5)
        (stored.folder / "text.txt").write_bytes(b"")
        with pytest.raises(LookupError, match="damaged"):
            PagedCorpus(stored)
