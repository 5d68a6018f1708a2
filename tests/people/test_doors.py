"""Two people, every door of the engine: nobody reads, changes or deletes what is not theirs, and what
is shared can be used by all and taken back by one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import ROOT
from engine.live.session import Session, TypedText
from engine.people import limits, sharing
from engine.people.accounts import Person, identity
from engine.runs import own, shared
from engine.runs.archive.pack import pack
from engine.runs.archive.unpack import unpack
from engine.runs.store import SHIPPED, Run, RunStore
from engine.storage import home
from engine.storage.files import ABANDONED
from engine.text import collection
from engine.text.collection import Library, Stored
from engine.text.collection import job as upload
from engine.text.collection import shared as shared_texts
from engine.training import job

ADA, EVE = (Person(identity("name", name), name) for name in ("ada", "eve"))
SECRET = "The key lies under the third stone.\n" * 20


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path))
    monkeypatch.setattr(home, "_ways", [lambda: home.NOBODY])
    return tmp_path


@pytest.fixture
def run(here: Path, run_folder: Callable[[str], Path]) -> Run:
    with home.act_as(ADA.id):
        shutil.copytree(run_folder("ngram"), home.home() / "runs" / "mine")
        return RunStore().find("mine")


@pytest.fixture
def text(here: Path) -> Stored:
    with home.act_as(ADA.id):
        return Library().add(SECRET, "Diary")


def everything(folder: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture(params=[EVE.id, home.NOBODY, "../" + ADA.id, ADA.id.upper(), "", None])
def stranger(request: Any, here: Path, run: Run, text: Stored) -> Iterator[None]:
    """Who is not Ada; afterwards hers is as it was."""
    before = everything(here / home.PEOPLE / ADA.id)
    with home.act_as(request.param):
        yield
    assert everything(here / home.PEOPLE / ADA.id) == before


def test_one_person_has_the_folder_of_the_program(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path))
    monkeypatch.setattr(home, "_ways", [])
    assert home.person() is None and home.home() == tmp_path and home.inherit() == {}
    assert RunStore().roots[1:] == (tmp_path / "runs",) and shared_texts.library() is None
    stored = Library().add(SECRET, "Diary")
    assert len(stored.id.rpartition("-")[2]) == 8  # as ever
    limits.check_room(10**15)


def test_whose_a_text_is_goes_through_the_same_doors(text: Stored) -> None:
    with home.act_as(ADA.id):
        assert text.id in [one.id for one in collection.list_all()]
        assert [one.id for one in Library().all()] == [text.id]
        found = collection.find(text.id)
        assert isinstance(found, Stored) and found.whole() == SECRET
        assert SECRET.encode() in Library().export(text.id)[1]
        assert Library().rename(text.id, "My diary").title == "My diary"
        shared_texts.withdraw(shared_texts.share(text, ADA), ADA)
        Library().delete(text.id)
        assert not Library().all() and not text.folder.exists()


@pytest.mark.usefixtures("stranger")
def test_a_text_is_nobody_elses(text: Stored) -> None:
    assert text.id not in [one.id for one in collection.list_all()]
    assert not Library().all()
    for id in (text.id, f"../../{ADA.id}/corpora/{text.id}", str(text.folder)):
        for do in (
            lambda id=id: collection.find(id),
            lambda id=id: Library().delete(id),
            lambda id=id: Library().rename(id, "mine now"),
            lambda id=id: Library().export(id),
        ):
            with pytest.raises(LookupError):
                do()
    for give in (shared_texts.share, shared_texts.withdraw):
        with pytest.raises((ValueError, LookupError)):
            give(text, EVE)
    assert len(text.id.rpartition("-")[2]) == 16


def test_whose_a_run_is_goes_through_the_same_doors(run: Run) -> None:
    with home.act_as(ADA.id):
        store = RunStore()
        assert run.folder in [one.folder for one in store.all()]
        assert store.find(run.id).folder == run.folder
        assert own.is_own(run)
        assert store.load(run).trace("the cat").field("probability").values.size
        own.rename(run, "My run")
        assert store.find(run.id).title == "My run"
        shared.withdraw(shared.share(run, ADA), ADA)
        own.delete(store.find(run.id))
        assert not run.folder.exists()


@pytest.mark.usefixtures("stranger")
def test_a_run_is_nobody_elses(run: Run) -> None:
    store = RunStore()
    assert run.folder not in [one.folder for one in store.all()]
    for name in (run.id, str(run.folder), f"../../{ADA.id}/runs/{run.id}", f"{run.id}@1", "."):
        with pytest.raises(LookupError):
            store.find(name)
    assert not own.is_own(run)
    for do in (
        lambda: own.delete(run),
        lambda: own.rename(run, "mine now"),
        lambda: shared.share(run, EVE),
        lambda: shared.withdraw(run, EVE),
    ):
        with pytest.raises(ValueError):
            do()
    with pytest.raises(LookupError):  # a checkpoint of another library by its folder
        store.find(str(ROOT))


def test_an_upload_lies_with_who_sent_it(here: Path) -> None:
    """While it is read, and when it is stored: its process works for the same person."""
    before = set(here.rglob("*"))
    with home.act_as(ADA.id):
        job = upload.Job([("diary.txt", SECRET.encode())])
        assert (here / home.PEOPLE / ADA.id) in job.folder.parents
        assert {p.parent.stat().st_mode & 0o777 for p in job.folder.iterdir()} == {0o700}
        finish(job, "read", kind="text", columns=[], look=False)
        finish(job, "add", name="Diary", kind="text")
        stored = collection.find(job.result("add")["id"])
        assert isinstance(stored, Stored) and stored.whole() == SECRET
        job.close()
    new = [p for p in set(here.rglob("*")) - before if p.is_file()]
    assert new and all((here / home.PEOPLE / ADA.id) in p.parents for p in new)
    with home.act_as(EVE.id):
        assert stored.id not in [one.id for one in collection.list_all()]
        with pytest.raises(LookupError):
            collection.find(stored.id)


def finish(job: upload.Job, do: str, **how: Any) -> None:
    job.ask(do, **how)
    until = time.monotonic() + 60
    while job.result(do) is None and time.monotonic() < until and not job.state.error:
        time.sleep(0.05)
    assert job.result(do) is not None, job.state


def test_a_training_works_for_who_started_it(here: Path, text: Stored) -> None:
    ask = "from engine.text import collection; print(len(collection.find({!r}).whole()))"
    command = [sys.executable, "-c", ask.format(text.id)]
    for one, works in ((ADA, True), (EVE, False)):
        with home.act_as(one.id):
            env = home.inherit()
        done = subprocess.run(
            command, cwd=ROOT, env={**os.environ, **env}, capture_output=True, check=False
        )
        assert (done.returncode == 0) is works, done.stderr
    with home.act_as(EVE.id):
        folder = home.home() / "runs" / "stolen"
        for wanted in (text.id, str(text.folder / "text.txt"), str(ROOT / "README.md")):
            with pytest.raises(ValueError, match="no stored corpus"):
                job.start(job.Job("ngram", (wanted,)), folder)
        assert not folder.exists()


def test_a_socket_answers_for_whoever_opened_the_page(here: Path) -> None:
    seen: list[str | None] = []

    class Spy(Session):
        def _answer(self, message: object) -> None:
            seen.append(home.person())

    with home.act_as(ADA.id):
        session = Spy("lstm", TypedText())
    other = threading.Thread(target=session.answer, args=({},))
    other.start()
    other.join()
    assert seen == [ADA.id] and home.person() == home.NOBODY


def test_what_is_shared_all_can_use_and_one_can_take_back(
    here: Path, run: Run, text: Stored
) -> None:
    with home.act_as(ADA.id):
        theirs, public = shared_texts.share(text, ADA), shared.share(run, ADA)
        first = collection.find(text.id)  # one's own goes before
        assert isinstance(first, Stored) and first.folder == text.folder
        assert [one.id for one in RunStore().all()].count("mine") == 1
    with home.act_as(EVE.id):
        found = collection.find(theirs.id)
        assert isinstance(found, Stored) and found.whole() == text.whole()
        assert shared_texts.is_shared(found) and theirs.id in [c.id for c in collection.list_all()]
        assert (by := shared_texts.find_sharer(found)) is not None and by.name == "ada"
        mine = RunStore().find(public.id)
        assert shared.is_shared(mine) and not own.is_own(mine)
        assert mine.id in [one.id for one in RunStore().all()]
        assert RunStore().load(mine).trace("the cat").field("probability").values.size
        for do in (
            lambda: own.delete(mine),
            lambda: own.rename(mine, "mine now"),
            lambda: shared.withdraw(mine, EVE),
            lambda: shared_texts.withdraw(found, EVE),
            lambda: Library().rename(found.id, "mine now"),
            lambda: Library().delete(found.id),
        ):
            with pytest.raises((ValueError, LookupError)):
                do()
    with home.act_as(ADA.id):
        own.delete(run)  # the copy stays
        assert RunStore().find(public.id).folder == public.folder
        shared.withdraw(public, ADA)
        shared_texts.withdraw(theirs, ADA)
        assert collection.find(text.id).id == text.id
    with home.act_as(EVE.id), pytest.raises(LookupError):
        collection.find(theirs.id)
    with home.act_as(EVE.id), pytest.raises(LookupError):
        RunStore().find(public.id)


def test_what_is_shared_on_a_full_disk_is_not_shared(
    here: Path, run: Run, text: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even when it is full behind the last file, before it is noted by whom."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    for where in ("engine.people.sharing.record.save", "engine.storage.files.os.fsync"):
        with home.act_as(ADA.id), monkeypatch.context() as patch:
            patch.setattr(where, full)
            with pytest.raises(ValueError, match="the disk is full"):
                shared.share(run, ADA)
            with pytest.raises(ValueError, match="the disk is full"):
                shared_texts.share(text, ADA)
        assert not shared.store().all()[len(RunStore(SHIPPED).all()) :]
        assert not list((home.base() / "corpora").glob("[!.]*"))


def test_another_run_of_that_name_is_shared_under_a_name_of_its_own(
    here: Path, run: Run, run_folder: Callable[[str], Path]
) -> None:
    with home.act_as(ADA.id):
        shared.share(run, ADA)
    with home.act_as(EVE.id):
        shutil.copytree(run_folder("lstm"), home.home() / "runs" / "mine")
        hers = RunStore().find("mine")
        assert hers.model == "lstm"  # her own, not the shared one
        assert shared.share(hers, EVE).id == "mine-2"
        again = shared.share(hers, EVE)
        assert again.id == "mine-2"
        with pytest.raises(ValueError, match="not shared by you"):
            shared.withdraw(shared.store().find("mine"), EVE)


def test_a_person_shares_and_trains_so_many_and_no_more(
    here: Path, text: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharing, "MOST", 1)
    with home.act_as(ADA.id):
        shared_texts.share(text, ADA)
        other = Library().add("Another text.\n" * 20, "Other")
        with pytest.raises(ValueError, match="take one back"):
            shared_texts.share(other, ADA)
    with home.act_as(EVE.id):
        shared_texts.share(Library().add("A third text.\n" * 20, "Third"), EVE)
    monkeypatch.setenv(limits.TRAININGS[0], "0")
    with home.act_as(ADA.id):
        folder = home.home() / "runs" / "one"
        with pytest.raises(ValueError, match="each person has 0"):
            folder.parent.mkdir(parents=True)
            job.start(job.Job("ngram", ("stories",)), folder)
        assert not folder.exists()


def test_a_person_has_so_much_room(
    here: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.zip"
    pack(run, path)
    with home.act_as(ADA.id):
        used = sum(p.stat().st_size for p in home.home().rglob("*") if p.is_file())
        assert limits.used_bytes() == used
    monkeypatch.setenv(limits.MB[0], "0.001")
    with home.act_as(EVE.id):
        with pytest.raises(ValueError, match=r"0 MB, and 0 of them"):
            Library().add(SECRET * 3, "Diary")
        with pytest.raises(ValueError, match="your space"):
            unpack(path)
        assert not [p for p in home.home().rglob("*") if p.is_file()]
        Library().add("A short text.\n", "Short")
    monkeypatch.setenv(limits.MB[0], "nonsense")
    with home.act_as(EVE.id):
        assert limits.most_bytes() == 4_000_000_000
        assert not unpack(path).run.is_checkpoint


def test_what_ones_own_is_called_is_no_path(here: Path) -> None:
    """A note about sharing names an id, which a hostile one can't make another file."""
    sharing.note(here / "runs", "mine", ADA)
    assert json.loads((here / "runs" / ".shared" / "mine.json").read_text())["person"] == ADA.id
    assert sharing.find_sharer(here / "runs", "other") is None
    assert ABANDONED > 0 and not RunStore().find("lstm").is_checkpoint
