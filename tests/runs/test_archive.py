"""Archives: a run comes out of its zip as it went in; of any other zip comes but one sentence."""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import shutil
import signal
import stat
import struct
import subprocess
import sys
import time
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from engine.__main__ import main
from engine.core.registry import models
from engine.runs import own as own_runs
from engine.runs.archive import unpack
from engine.runs.archive.manifest import MANIFEST, Refused
from engine.runs.archive.pack import pack
from engine.runs.store import Recipe, Run, RunStore, digest
from engine.storage import files
from engine.storage.arrays import write_arrays
from engine.storage.run_folder import HISTORY, NOTE, WEIGHTS
from engine.training import trial
from engine.training.fit import fit
from tests.conftest import ROOT, TEXT, Capture, Patch, sampled, small

Members = dict[str, bytes]
SNAPSHOT = "snapshots/00000001.safetensors"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> RunStore:
    """A store with one run, with snapshots."""
    root = tmp_path_factory.mktemp("there")
    recipe = Recipe("skipgram", small(models.get("skipgram")), digest(TEXT), 0)
    list(fit(root / "mine", recipe, TEXT, snapshots=3))
    return RunStore(root)


@pytest.fixture(scope="module")
def archive(home: RunStore, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("in transit") / "mine.zip"
    pack(home.find("mine"), path)
    assert [p.name for p in path.parent.iterdir()] == ["mine.zip"]
    return path.read_bytes()


@pytest.fixture
def here(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path / "here")


@pytest.fixture
def at_once(monkeypatch: Patch) -> None:
    """The run is opened in this process, to save the seconds that another needs to start."""

    def tried(folder: Path, weights_bytes: int) -> None:
        if said := trial.problem(folder):
            raise Refused(said)

    monkeypatch.setattr(unpack, "_try_to_open", tried)


def contents(folder: Path) -> Members:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()
    }


def untouched(store: RunStore) -> bool:
    """Nothing was left behind, in sight or out of it."""
    return not [p for p in store.roots[-1].rglob("*") if p.name != unpack.ARRIVING]


def members(archive: bytes) -> Members:
    with zipfile.ZipFile(io.BytesIO(archive)) as file:
        return {name: file.read(name) for name in file.namelist()}


def sums(parts: Members) -> dict[str, dict[str, Any]]:
    """What the manifest says of them, by an independent hand."""
    digests = {name: hashlib.sha256(body).hexdigest() for name, body in parts.items()}
    return {name: {"bytes": len(parts[name]), "sha256": of} for name, of in digests.items()}


def listed(parts: Members, **about: Any) -> Members:
    """The parts with a manifest that is true of them."""
    rest = {name: body for name, body in parts.items() if name != MANIFEST}
    about = {"format": "unrolled run", "version": 1, "id": "mine", "members": sums(rest)} | about
    return {MANIFEST: json.dumps(about).encode()} | rest


def zipped(
    parts: Members, change: Callable[[zipfile.ZipInfo], None] = lambda _: None, twice: str = ""
) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file, warnings.catch_warnings(action="ignore"):
        for name, body in [*parts.items(), *([(twice, parts[twice])] if twice else [])]:
            entry = zipfile.ZipInfo(name)
            change(entry)
            file.writestr(entry, body)
    return out.getvalue()


def noted(parts: Members, **facts: Any) -> bytes:
    """With other words in run.json, and a list that is true."""
    note = json.dumps(json.loads(parts[NOTE]) | facts).encode()
    return zipped(listed({**parts, NOTE: note}))


def test_there_and_back(home: RunStore, here: RunStore, archive: bytes, tmp_path: Path) -> None:
    """Byte for byte, through the process that opens it."""
    arrived = unpack.unpack(io.BytesIO(archive), here)
    run = home.find("mine")
    assert arrived.new and arrived.run.id == "mine"
    assert arrived.run.folder == (here.roots[-1] / "mine").resolve()
    before = contents(run.folder)
    assert contents(arrived.run.folder) == before and len(run.snapshots) == 3
    parts = members(archive)
    assert next(iter(parts)) == MANIFEST and set(parts) == {MANIFEST, *before}
    assert json.loads(parts[MANIFEST])["members"] == sums(before)
    one, other = (
        store.load(found).trace("the cat").field("probability").values
        for store, found in ((home, run), (here, arrived.run))
    )
    np.testing.assert_array_equal(one, other)

    pack(arrived.run, tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == archive, "the same run, the same bytes"
    stream = io.BytesIO()
    pack(run.at(min(run.snapshots)), stream)
    assert stream.getvalue() == archive, "a run at a step is packed as the whole run"


def test_the_same_again_is_said_and_another_gets_a_name_of_its_own(
    here: RunStore, archive: bytes, at_once: None
) -> None:
    assert unpack.unpack(io.BytesIO(archive), here).new
    again = unpack.unpack(io.BytesIO(archive), here)
    assert not again.new and again.run.id == "mine"
    other = noted(members(archive), title="Another")
    found = [unpack.unpack(io.BytesIO(other), here) for _ in range(2)]
    assert [(a.run.id, a.run.title) for a in found] == [("mine-2", "Another")] * 2
    assert [a.new for a in found] == [True, False]
    assert sorted(run.id for run in here.all()) == ["mine", "mine-2"]


def test_a_name_that_is_taken_elsewhere_is_taken(
    home: RunStore, archive: bytes, tmp_path: Path, at_once: None
) -> None:
    """By a shipped run, and by a training that is not done."""
    store = RunStore(home.roots[0], tmp_path)
    assert not unpack.unpack(io.BytesIO(archive), store).new and not list(tmp_path.iterdir())
    (tmp_path / "mine-2").mkdir()
    (tmp_path / "mine-2" / "told.json").write_text("{}")
    assert unpack.unpack(io.BytesIO(noted(members(archive), title="x")), store).run.id == "mine-3"


def test_the_name_of_a_deleted_run_is_free_for_that_run_alone(
    here: RunStore, archive: bytes, at_once: None
) -> None:
    """A server that has had it open may still have kept what it answered."""
    for _ in range(2):
        arrived = unpack.unpack(io.BytesIO(archive), here)
        assert arrived.new and arrived.run.id == "mine"
        own_runs.delete(arrived.run, here)
        assert here.all() == []
    other = noted(members(archive), title="Another")
    names = [unpack.unpack(io.BytesIO(zip), here).run.id for zip in (other, archive)]
    assert names == ["mine-2", "mine"]


def link(entry: zipfile.ZipInfo) -> None:
    if entry.filename == HISTORY:
        entry.create_system, entry.external_attr = 3, (stat.S_IFLNK | 0o777) << 16


def deflated(entry: zipfile.ZipInfo) -> None:
    entry.compress_type = zipfile.ZIP_DEFLATED


def encrypted(archive: bytes) -> bytes:
    """The bit in the directory that says so, in every entry."""
    body, at = bytearray(archive), -1
    while (at := body.find(b"PK\x01\x02", at + 1)) >= 0:
        body[at + 8] |= 1
    return bytes(body)


def endless(_: Members) -> bytes:
    """A file that claims that its directory is as long as itself, 40 MB."""
    size = 40_000_000
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 65535, 65535, size + 4, 0, 0)
    return b"PK\x01\x02" + bytes(size) + end


def arrays(parts: Members, header: dict[str, Any]) -> bytes:
    head = json.dumps(header).encode()
    return zipped(listed({**parts, WEIGHTS: struct.pack("<Q", len(head)) + head + bytes(64)}))


def manifest(old: bytes, new: bytes) -> Callable[[Members], bytes]:
    return lambda p: zipped({**p, MANIFEST: p[MANIFEST].replace(old, new, 1)})


def weights(change: Callable[[bytes], bytes]) -> Callable[[Members], bytes]:
    """Changed, under the list of those that were there before."""
    return lambda p: zipped({**p, WEIGHTS: change(p[WEIGHTS])})


def with_file(name: str, body: bytes) -> Callable[[Members], bytes]:
    return lambda p: zipped(listed({**p, name: body}))


def without(name: str) -> Callable[[Members], Members]:
    return lambda p: {k: v for k, v in p.items() if k != name}


def tensor(*shape: int) -> dict[str, Any]:
    size = 4 * int(np.prod(shape, dtype=object))
    return {"dtype": "F32", "shape": shape, "data_offsets": [0, size]}


BOMB = {SNAPSHOT: bytes(30_000_000)}
LATER = "snapshots/00000099.safetensors"
FAR = {"vectors": tensor(10**6, 10**9)}
TWICE = {"vectors": tensor(16), "counts": tensor(16)}
PROBE = b'{"step": 1, "samples": 3}\n'
NOT_OURS = {
    "out of its folder": "../x",
    "an absolute path": "/etc/x",
    "another drive": "C:\\x",
    "a deeper path": "snapshots/../../00000009.safetensors",
    "a program": "model.py",
    "a pickle": "weights.pt",
    "a sign of its own": "run.json\n",
}


def widened(parts: Members) -> bytes:
    return noted(parts, config={**json.loads(parts[NOTE])["config"], "width": "wide"})


def of_another(parts: Members) -> bytes:
    body = parts[WEIGHTS].replace(b"vectors", b"rectors")
    return zipped(listed({**parts, SNAPSHOT: body}))


HOSTILE: dict[str, tuple[Callable[[Members], bytes], str]] = {
    "nothing": (lambda _: b"", "not a zip of a run"),
    "no zip": (lambda _: b"\x80\x04 a pickle, say" * 99, "not a zip of a run"),
    "an empty zip": (lambda _: zipped({}), "not made by exporting a run"),
    "another zip": (lambda _: zipped({"a.txt": b"hello"}), "not made by exporting a run"),
    "cut in half": (lambda p: zipped(p)[: len(zipped(p)) // 2], "not a zip of a run"),
    "a directory without an end": (endless, "far more entries"),
    **{what: (with_file(name, b"1"), "not belong to a run") for what, name in NOT_OURS.items()},
    "a folder": (lambda p: zipped({**p, "more/": b""}), "'more/', which does not belong to a run"),
    "a link": (lambda p: zipped(p, link), "a link or a device"),
    "a file twice": (lambda p: zipped(p, twice=NOTE), "twice"),
    "a password": (lambda p: encrypted(zipped(p)), "encrypted"),
    "a bomb": (lambda p: zipped(listed(p | BOMB), deflated), "would unpack to 30,000,000 bytes"),
    "too long a run.json": (with_file(NOTE, b" " * 6_000_000), "would unpack to 6,000,000 bytes"),
    "a changed byte": (weights(lambda body: body[:-1] + b"\x7f"), "another size or digest"),
    "a byte more": (weights(lambda body: body + b"\0"), "another size or digest"),
    "a byte less": (weights(lambda body: body[:-1]), "another size or digest"),
    "a member missing": (lambda p: zipped(without(SNAPSHOT)(p)), "missing from the zip"),
    "a member more": (lambda p: zipped({**p, LATER: p[SNAPSHOT]}), "not in its list"),
    "no weights": (lambda p: zipped(listed(without(WEIGHTS)(p))), f"has no {WEIGHTS}"),
    "a wrong digest": (manifest(b'"sha256": "', b'"sha256": "0'), "another size or digest"),
    "a wrong size": (manifest(b'"bytes": ', b'"bytes": 1'), "another size or digest"),
    "a huge size": (manifest(b'"bytes": ', b'"bytes": 99999999999'), "another size or digest"),
    "a size below nothing": (manifest(b'"bytes": ', b'"bytes": -'), "another size or digest"),
    "a size without end": (manifest(b'"bytes": ', b'"bytes": 1e999, "more": '), "damaged"),
    "no list": (lambda p: zipped({**p, MANIFEST: b"[]"}), "damaged"),
    "a deep list": (lambda p: zipped({**p, MANIFEST: b"[" * 100_000}), "damaged"),
    "a later version": (lambda p: zipped(listed(p, version=9)), "version 9"),
    "a name that climbs": (lambda p: zipped(listed(p, id="../../mine")), "can't be the name"),
    "a hidden name": (lambda p: zipped(listed(p, id=".arriving")), "can't be the name"),
    "run.json is no JSON": (with_file(NOTE, b"{"), "can't be read"),
    "run.json is a list": (with_file(NOTE, b"[]"), "can't be read: it is no object"),
    "a deep run.json": (with_file(NOTE, b'{"a":' * 50_000), "can't be read"),
    "a corpus that is a word": (lambda p: noted(p, corpus="Wikipedia"), "not valid: corpus: exp"),
    "a number that is a word": (
        lambda p: noted(p, held_out={"bits_per_char": "good"}),
        "is not valid: held_out.*: expected",
    ),
    "a number without end": (
        lambda p: noted(p, seconds=math.inf),
        "is not valid: seconds: expected",
    ),
    "an endless title": (lambda p: noted(p, title="x" * 10_000), "longer than 200"),
    "an unknown model": (
        lambda p: noted(p, model="gpt9"),
        "of the model 'gpt9', which this Unrolled does not have",
    ),
    "a model that is a path": (lambda p: noted(p, model="../x"), "does not have"),
    "a setting of another kind": (widened, "setting width"),
    "a setting that does not fit": (lambda p: noted(p, model="lstm", config={}), "does not work"),
    "no arrays": (with_file(WEIGHTS, b"\x80\x04 a pickle" * 20), "does not work: .*damaged"),
    "huge arrays": (lambda p: arrays(p, FAR), "does not work: .*damaged"),
    "overlapping arrays": (lambda p: arrays(p, TWICE), "does not work"),
    "a snapshot of another model": (of_another, "none of the weights"),
    "watched nonsense": (with_file("watch.jsonl", PROBE), "than what a training writes"),
}


@sampled("what", HOSTILE)
def test_whatever_else_it_may_be(what: str, here: RunStore, archive: bytes, at_once: None) -> None:
    make, said = HOSTILE[what]
    with pytest.raises(ValueError, match=said) as refusal:
        unpack.unpack(io.BytesIO(make(members(archive))), here)
    assert untouched(here)
    said = str(refusal.value)
    assert len(said) < 400 and "\n" not in said and str(here.roots[-1]) not in said


def test_zipped_again_by_another_program(here: RunStore, archive: bytes, at_once: None) -> None:
    """In another order and compressed, it is the same run."""
    parts = dict(reversed(members(archive).items()))
    assert unpack.unpack(io.BytesIO(zipped(parts, deflated)), here).new


def test_settings_that_ask_for_all_memory(here: RunStore, tmp_path: Path) -> None:
    """1.6 GB for a few kB of weights: the process that opens them may not have so much."""
    kind = models.get("tagger")
    folder = tmp_path / "greedy"
    recipe = Recipe("tagger", small(kind), digest(kind.sample * 12), 0)
    list(fit(folder, recipe, kind.sample * 12))
    note = json.loads((folder / NOTE).read_text())
    note["config"] = {**asdict(small(kind)), "units": 10_000}
    (folder / NOTE).write_text(json.dumps(note))
    out = io.BytesIO()
    pack(RunStore(tmp_path).find("greedy"), out)
    with pytest.raises(ValueError, match="far more memory"):
        unpack.unpack(out, here)
    assert untouched(here)


def test_weights_never_lie_in_memory_whole(
    here: RunStore, tmp_path: Path, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(unpack, "_try_to_open", lambda folder, size: None)
    folder = tmp_path / "large"
    folder.mkdir()
    (folder / NOTE).write_text(json.dumps({"model": "lstm", "config": {}, "corpus": {}}))
    write_arrays(folder / WEIGHTS, {"w": np.zeros(12_000_000, np.float32)})
    tracemalloc.start()
    pack(RunStore(tmp_path).find("large"), tmp_path / "large.zip")
    arrived = unpack.unpack(tmp_path / "large.zip", here)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (arrived.run.folder / WEIGHTS).stat().st_size > 48_000_000 and most < 10_000_000


def test_a_full_disk_is_said(
    here: RunStore, archive: bytes, monkeypatch: Patch, home: RunStore, tmp_path: Path
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(unpack.os, "fsync", full)
    with pytest.raises(ValueError, match="could not be written: the disk is full"):
        unpack.unpack(io.BytesIO(archive), here)
    with monkeypatch.context() as m, pytest.raises(ValueError, match=r"^the disk is full"):
        m.setattr(unpack, "new_folder", full)
        unpack.unpack(io.BytesIO(archive), here)
    with pytest.raises(OSError, match="No space"):
        pack(home.find("mine"), tmp_path / "mine.zip")
    assert untouched(here) and not list(tmp_path.glob("*.zip")) and not list(tmp_path.glob(".*"))
    monkeypatch.setattr(unpack.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 1000}))
    with pytest.raises(ValueError, match=r"the disk is full: .* 0\.0 MB are free"):
        unpack.unpack(io.BytesIO(archive), here)
    with pytest.raises(ValueError, match="can't be read: No such file"):
        unpack.unpack(tmp_path / "nobody.zip", here)


KILLED = """
import os, signal, sys
from pathlib import Path
from engine.runs.archive import unpack
from engine.runs.store import RunStore
unpack.settle = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
unpack._try_to_open = lambda *_: None
unpack.unpack(Path(sys.argv[1]), RunStore(Path(sys.argv[2])))
"""


def test_killed_just_before_the_end(
    here: RunStore, archive: bytes, tmp_path: Path, at_once: None, monkeypatch: Patch
) -> None:
    """kill -9 when all is written but the name: no run is there; what is left goes with the next."""
    path = tmp_path / "mine.zip"
    path.write_bytes(archive)
    code = [sys.executable, "-c", KILLED, str(path), str(here.roots[-1])]
    ended = subprocess.run(code, cwd=ROOT, check=False)
    assert ended.returncode == -signal.SIGKILL
    left = here.roots[-1] / unpack.ARRIVING
    assert here.all() == [] and len(list(left.iterdir())) == 1
    unpack.unpack(path, here)
    assert len(list(left.iterdir())) == 1, "it may be another one that is arriving just now"
    swept = files.sweep
    monkeypatch.setattr(unpack, "sweep", lambda folder, of: swept(folder, of, seconds=-1))
    (here.roots[-1] / "mine").rename(here.roots[-1] / "yours")
    unpack.unpack(path, here)
    assert not list(left.iterdir()) and sorted(run.id for run in here.all()) == ["mine", "yours"]


@settings(max_examples=120)
@given(data=some.data())
def test_any_change_is_refused_or_changes_nothing(
    data: some.DataObject, archive: bytes, home: RunStore, tmp_path_factory: pytest.TempPathFactory
) -> None:
    body = bytearray(archive)
    with zipfile.ZipFile(io.BytesIO(archive)) as file:
        directory = file.start_dir
    for _ in range(data.draw(some.integers(1, 2))):
        last = len(body) - 1
        anywhere, late = some.integers(0, last), some.integers(min(directory, last), last)
        at = data.draw(some.one_of(anywhere, late))
        match data.draw(some.sampled_from(("set", "cut", "put", "move"))):
            case "set":
                body[at] = data.draw(some.integers(0, 255))
            case "cut":
                del body[at : at + data.draw(some.integers(1, 40))]
            case "put":
                body[at:at] = data.draw(some.binary(min_size=1, max_size=40))
            case "move":
                body[at : at + 8] = body[at : at + 8][::-1]
    store = RunStore(tmp_path_factory.mktemp("fuzz"))
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(action="ignore"):
        # the digests alone have to do
        patch.setattr(unpack, "_try_to_open", lambda folder, size: None)
        try:
            arrived = unpack.unpack(io.BytesIO(bytes(body)), store)
        except ValueError as refusal:
            assert str(refusal) and untouched(store)
        else:
            assert contents(arrived.run.folder) == contents(home.find("mine").folder)
            assert not os.listdir(store.roots[-1] / unpack.ARRIVING)


def test_the_command_line(
    home: RunStore, tmp_path: Path, monkeypatch: Patch, capsys: Capture, at_once: None
) -> None:
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path / "home"))
    out = tmp_path / "mine.zip"

    def said(*arguments: str) -> Any:
        assert main([*arguments, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    folder = str(home.roots[0] / "mine")
    packed = said("pack", folder, str(out))
    assert packed == {"run": "mine", "out": str(out), "size_bytes": out.stat().st_size}
    arrived = {"run": "mine", "folder": str(tmp_path / "home" / "runs" / "mine")}
    arrived |= {"model": "skipgram", "title": "mine"}
    assert said("unpack", str(out)) == {**arrived, "new": True}
    assert said("unpack", str(out)) == {**arrived, "new": False}
    for wrong in (
        ["pack", folder, str(tmp_path)],
        ["pack", folder, str(tmp_path / "no" / "x.zip")],
        ["pack", "nobody", "x.zip"],
        ["unpack", "no.zip"],
    ):
        assert main(wrong) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_own_runs_are_renamed_and_deleted_and_no_others(
    home: RunStore, tmp_path: Path, monkeypatch: Patch
) -> None:
    for root in ("shipped", "own"):
        shutil.copytree(home.roots[0] / "mine", tmp_path / root / root)
    store = RunStore(tmp_path / "shipped", tmp_path / "own")
    shipped, own = store.find("shipped"), store.find("own")
    runs = (shipped, own, store.all()[1])
    assert [own_runs.is_own(run, store) for run in runs] == [False, True, True]
    own_runs.rename(own, "  My «first»\n run 🚀 ", store)
    note = store.find("own").note
    assert note["title"] == "My «first» run 🚀" and note == {**own.note, "title": note["title"]}
    for title in ("", " \t", "x" * 101, "a\u202eb", "\x00"):
        with pytest.raises(ValueError, match="a title has"):
            own_runs.rename(own, title, store)
    before = contents(tmp_path / "shipped")
    target = tmp_path / "shipped" / "shipped"
    (tmp_path / "own" / "link").symlink_to(target, target_is_directory=True)
    others = (Run(tmp_path / "own" / name, {}) for name in ("..", ".gone", "nobody"))
    for run in (shipped, store.find("link"), *others):
        with pytest.raises(ValueError, match="can't be changed"):
            own_runs.delete(run, store)
        with pytest.raises(ValueError, match="can't be changed"):
            own_runs.rename(run, "mine now", store)
    with monkeypatch.context() as patch:  # a crash in the middle of it
        patch.setattr(files.shutil, "rmtree", lambda *_, **__: None)
        own_runs.delete(store.find("own"), store)
    assert [run.id for run in store.all()] == ["shipped", "link"]
    shutil.copytree(home.roots[0] / "mine", tmp_path / "own" / "own")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:  # what makes room needs none
        patch.setattr(files.os, "fsync", full)
        with pytest.raises(ValueError, match=r"^the disk is full, so nothing was stored"):
            own_runs.rename(store.find("own"), "another", store)
        own_runs.delete(store.find("own"), store)
    assert [run.id for run in store.all()] == ["shipped", "link"]
    shutil.copytree(home.roots[0] / "mine", tmp_path / "own" / "own")
    own_runs.delete(store.find("own"), store)
    assert not list((tmp_path / "own" / ".gone").iterdir())
    assert contents(tmp_path / "shipped") == before


@pytest.mark.parametrize("model", ["lstm", "transformer"])
def test_a_run_of_a_million_layers_is_not_built(
    model: str, run_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    shutil.copytree(run_folder(model), folder := tmp_path / "run")
    assert trial.problem(folder) == ""
    note = json.loads((folder / NOTE).read_text())
    note["config"]["layers"] = 1_000_000
    (folder / NOTE).write_text(json.dumps(note))
    begun = time.monotonic()
    assert "asks for 1,000,000 layers" in trial.problem(folder)
    assert time.monotonic() - begun < 5


def test_a_history_of_garbage_is_refused(run_folder: Callable[[str], Path], tmp_path: Path) -> None:
    shutil.copytree(run_folder("lstm"), folder := tmp_path / "run")
    (folder / "history.csv").write_bytes(bytes(range(256)) * 20)
    assert "history.csv in the zip holds no number" in trial.problem(folder)
    (folder / "history.csv").write_text("step,metric,value\n")
    assert trial.problem(folder) == ""
