"""Storage: files are written whole or not at all, and what was written before is still read."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from engine.runs.store import SHIPPED, RunStore
from engine.storage import files, record, run_folder
from engine.storage.run_folder import NOTE, RunRecord, read_note
from tests.conftest import ROOT, Patch, sampled, together


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "file"
    files.write_bytes(path, b"old ", memoryview(b"words"))
    with pytest.raises(RuntimeError), files.writing(path) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old words"
        raise RuntimeError
    assert path.read_bytes() == b"old words" and os.listdir(tmp_path) == ["file"]
    with files.writing(path) as one, files.writing(path) as other:  # two threads at once
        one.write(b"1")
        other.write(b"2")
    assert path.read_bytes() == b"1" and os.listdir(tmp_path) == ["file"]


def test_kill_9_while_a_file_is_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    code = (
        "import os, signal; from pathlib import Path; from engine.storage.files import writing\n"
        f"with writing(Path({str(tmp_path / 'file')!r})) as file:\n"
        "    file.write(b'new'); file.flush(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == -9
    assert (tmp_path / "file").read_bytes() == b"old"


def test_what_a_killed_process_left_goes_with_the_next_file(tmp_path: Path) -> None:
    target = tmp_path / "model.arpa"
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    names = [f"model.arpa.{ended.pid}.aa", f"model.arpa.{ended.pid}.bb"]
    names += [f"model.arpa.{os.getpid()}.cc", f"other.arpa.{ended.pid}.dd"]
    left, fresh, mine, other = (tmp_path / f".{name}.part" for name in names)
    for path in (left, fresh, mine, other):
        path.write_bytes(b"half")
        os.utime(path, (0, 0))
    fresh.touch()
    files.write_bytes(target, b"whole")
    assert target.read_bytes() == b"whole" and not left.exists()
    assert fresh.exists() and mine.exists() and other.exists()


def test_folders_come_and_go_at_once(tmp_path: Path) -> None:
    with files.new_folder(tmp_path / ".new") as folder:
        (folder / "file").touch()
        folder.rename(tmp_path / "whole")
    with pytest.raises(RuntimeError), files.new_folder(tmp_path / ".new") as folder:
        (folder / "file").touch()
        raise RuntimeError
    assert os.listdir(tmp_path) == ["whole"]
    files.discard(tmp_path / "whole", tmp_path / ".gone" / "1")
    assert os.listdir(tmp_path) == [".gone"] and not os.listdir(tmp_path / ".gone")
    for name, age in ((".new-1", 90_000), (".new-2", 10), ("kept", 90_000)):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    files.sweep(tmp_path, ".new-*")
    assert sorted(os.listdir(tmp_path)) == [".gone", ".new-2", "kept"]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "^the disk is full"),
        (PermissionError(errno.EACCES, "Permission denied"), "^it can't be written: permission"),
    ],
)
def test_a_disk_that_refuses_is_one_sentence(error: OSError, said: str) -> None:
    with pytest.raises(ValueError, match=said), files.disk_errors("it"):
        raise error


@pytest.mark.parametrize("new", [True, False])
def test_a_new_folder_goes_where_filling_it_fails(tmp_path: Path, new: bool) -> None:
    folder = tmp_path / "one"
    if not new:
        folder.mkdir()
    with pytest.raises(RuntimeError), files.kept_whole(folder):
        (folder / "half").touch()
        raise RuntimeError
    assert folder.exists() != new
    with files.kept_whole(folder):
        pass
    assert folder.is_dir()


class Inner(Struct, frozen=True):
    name: str = ""
    size: run_folder.Bounded = 0


class Outer(Struct, frozen=True):
    kind: str
    inner: Inner = Inner()
    numbers: dict[str, float] = {}


@together(
    ("found", "said"),
    [
        ({}, "^kind is missing$"),
        ({"kind": 3}, "^kind: expected `str`, got `int`$"),
        ({"kind": "a", "inner": {"size": float("nan")}}, r"^inner\.size: expected"),
        ({"kind": "a", "numbers": {"x": "y"}}, "^numbers.*: expected `float`, got `str`$"),
        ([1], "^it: expected `object`"),
    ],
)
def test_what_is_wrong_is_one_sentence(found: Any, said: str) -> None:
    with pytest.raises(record.Mismatch, match=said):
        record.convert(found, Outer)


def test_what_is_of_the_wrong_kind_is_left_out_and_what_nobody_knows_stays() -> None:
    inner = {"name": "a", "size": "x", "more": 1}
    found = {"kind": 3, "inner": inner, "numbers": {"a": 1, "b": []}, "also": [1]}
    kept = {"inner": {"name": "a", "more": 1}, "numbers": {"a": 1}, "also": [1]}
    assert record.keep_sound(found, Outer) == kept
    assert record.keep_sound({"inner": 5, "numbers": "n"}, Outer) == {"inner": {}, "numbers": {}}


@pytest.mark.parametrize("raw", [b"", b"{", b"[" * 100_000, b"[]", b"\xff\xfe{"])
def test_a_damaged_file_is_named(raw: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(raw)
    with pytest.raises(ValueError, match="file is damaged: ") as problem:
        record.read(tmp_path / "file", Outer)
    assert "\n" not in str(problem.value)


def test_what_is_saved_is_read(tmp_path: Path) -> None:
    value = Outer("á", Inner("b", 2.5), {"x": float("inf")})
    record.save(tmp_path / "file", value)
    assert record.read(tmp_path / "file", Outer) == value
    record.save(tmp_path / "file", {"kind": "\ud800"})  # half a sign
    assert record.read(tmp_path / "file", Outer).kind == "?"


@sampled("folder", sorted(p.parent for p in SHIPPED.glob(f"*/{NOTE}")), ids=str, each=8)
def test_every_shipped_run_is_read_as_it_stands(folder: Path) -> None:
    """Nothing is left out of a sound file, and its numbers are of their kind."""
    note = json.loads((folder / NOTE).read_text(encoding="utf-8"))
    assert read_note(folder) == note
    assert record.convert(note, RunRecord).model == note["model"]


# what run.json said in the first version, before titles, licences and snapshots
FIRST: dict[str, Any] = {"version": 1, "model": "lstm", "recipe": "0123456789ab", "seed": 0}
FIRST |= {"config": {"units": 8, "gone_since": True}, "steps": 30, "seconds": 1.5, "device": "cpu"}
FIRST |= {"corpus": {"digest": "d" * 64, "characters": 900}, "made_with": {"python": "3.11.7"}}
FIRST |= {"held_out": {"bits_per_char": 2.5, "oov": 0}, "of_a_later_version": {"kept": [1]}}


def test_a_run_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / NOTE).write_text(json.dumps(FIRST))
    (run,) = RunStore(tmp_path).all()
    assert run.note == FIRST and run.title == "old" and run.model == "lstm"


def test_listing_runs_is_cheap() -> None:
    """Neither torch nor pandas nor the checkers of pydantic are loaded for it."""
    code = (
        "import sys; from engine.runs.store import RunStore; RunStore().all();"
        "print(sorted({'torch', 'pandas', 'pydantic', 'transformers'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_a_folder_that_nobody_may_look_into_has_nothing(tmp_path: Path, monkeypatch: Patch) -> None:
    for name in "ba":
        (tmp_path / f"{name}.txt").touch()
    assert [path.name for path in files.find_all(tmp_path, "*.txt")] == ["a.txt", "b.txt"]
    assert not files.find_all(tmp_path / "none", "*")

    def locked(*_: object, **__: object) -> object:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "glob", locked)
    assert not files.find_all(tmp_path, "*.txt")
