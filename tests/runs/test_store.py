"""Runs: what is on disk is whole or not there, goes on where it stopped, and says so when it is
damaged."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.core.registry import models
from engine.runs.store import Recipe, RunStore, digest
from engine.storage import arrays as files
from engine.storage.arrays import read_arrays, write_arrays
from engine.storage.run_folder import CHECKPOINT, HISTORY, NOTE, WEIGHTS
from engine.training import fit as fitting
from engine.training.fit import fit
from tests.conftest import TEXT, sampled, small, text_of

Folder = Callable[[str], Path]
RESUMABLE = [id for id in ("lstm", "transformer") if id in models.ids()]


def recipe(id: str, **more: Any) -> Recipe:
    return Recipe(id, small(models.get(id), **more), digest(text_of(models.get(id))), 0)


@sampled("id", models.ids(), each=5)
def test_a_run_is_found_listed_and_opened(id: str, run_folder: Folder) -> None:
    folder = run_folder(id)
    run = RunStore().find(folder.name)
    assert run.folder == folder.resolve() == RunStore().find(str(folder)).folder
    assert run.model == id and run.id in [r.id for r in RunStore().all(id)]
    assert RunStore().load(run).trace("the cat").tokens
    note = json.loads((folder / NOTE).read_text(encoding="utf-8"))
    text = text_of(models.get(id))
    assert note["recipe"] == recipe(id).key and note["corpus"] == {
        "digest": digest(text),
        "characters": len(text),
    }
    assert {"steps", "seconds", "seed", "device", "held_out", "made_with"} <= set(note)
    assert {p.name for p in folder.iterdir()} == {NOTE, WEIGHTS, HISTORY, fitting.PACE}


def test_a_recipe_keeps_its_key() -> None:
    """The key names folders of runs that people have: it may not drift."""
    from dataclasses import dataclass

    @dataclass(frozen=True)
    class Config:
        units: int = 3
        rate: float = 0.5

    one = Recipe("lstm", Config(), "abc", 1)
    assert one.key == Recipe("lstm", Config(), "abc", 1).key == "a204b590cea4"
    others = [
        Recipe("gru", Config(), "abc", 1),
        Recipe("lstm", Config(4), "abc", 1),
        Recipe("lstm", Config(), "abd", 1),
        Recipe("lstm", Config(), "abc", 2),
    ]
    assert len({one.key, *(r.key for r in others)}) == 5


class Stop(Exception):
    pass


@sampled("id", RESUMABLE, each=3)
def test_a_stopped_run_goes_on_to_the_same_weights(
    id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bit for bit the weights, and the history too, as if it had never stopped; dropout
    included."""
    monkeypatch.setattr(fitting, "CHECKPOINT_SECONDS", -1.0)
    made = recipe(id, dropout=0.2)
    for _ in fit(tmp_path / "whole", made, TEXT):
        pass
    reports = fit(tmp_path / "parts", made, TEXT)
    while next(reports).step < 17:
        pass
    reports.close()  # what Ctrl-C does
    assert (tmp_path / "parts" / CHECKPOINT).is_file() and not (tmp_path / "parts" / NOTE).exists()
    with pytest.raises(LookupError, match="not finished"):
        RunStore(tmp_path).find(str(tmp_path / "parts"))
    assert [run.id for run in RunStore(tmp_path).all()] == ["whole"]
    steps = [p.step for p in fit(tmp_path / "parts", made, TEXT, resume=True)]
    assert steps[0] == 18
    whole, parts = (read_arrays(tmp_path / name / WEIGHTS) for name in ("whole", "parts"))
    for name in whole:
        np.testing.assert_array_equal(whole[name], parts[name], err_msg=name)
    assert (tmp_path / "whole" / HISTORY).read_text() == (tmp_path / "parts" / HISTORY).read_text()
    assert not (tmp_path / "parts" / CHECKPOINT).exists()


def test_a_checkpoint_of_another_recipe_is_refused(tmp_path: Path) -> None:
    write_arrays(
        tmp_path / CHECKPOINT,
        {"recipe": np.frombuffer(b"someoneelse1", np.uint8), "seconds": np.array([1.0])},
    )
    with pytest.raises(ValueError, match="other settings or another text"):
        next(fit(tmp_path, recipe("lstm"), TEXT, resume=True))


def test_damaged_weights_are_said(run_folder: Folder, tmp_path: Path) -> None:
    folder, store = tmp_path / "damaged", RunStore()
    shutil.copytree(run_folder("lstm"), folder)
    file = folder / WEIGHTS
    whole, arrays = file.read_bytes(), read_arrays(run_folder("lstm") / WEIGHTS)
    for harm in (
        lambda: file.write_bytes(whole[:200]),
        lambda: file.write_bytes(b"\x80\x04not safetensors at all" * 9),
        lambda: write_arrays(file, {k: v for k, v in arrays.items() if "embed" not in k}),
        lambda: write_arrays(file, arrays | {"embed.weight": np.zeros((2, 2), np.float32)}),
        file.unlink,
    ):
        harm()
        with pytest.raises(ValueError, match="can't be opened"):
            store.load(store.find(str(folder)))


def test_a_damaged_note_is_said_and_hides_no_other_run(tmp_path: Path, run_folder: Folder) -> None:
    shutil.copytree(run_folder("lstm"), tmp_path / "good")
    (tmp_path / "bad").mkdir()
    store = RunStore(tmp_path)
    for content in ("", "{", "[]", "{}", "\x00"):
        (tmp_path / "bad" / NOTE).write_text(content)
        assert [run.id for run in store.all()] == ["good"]
        with pytest.raises(ValueError, match="damaged"):
            store.find("bad")


def test_a_note_that_can_t_be_read_hides_no_other_run(
    tmp_path: Path, run_folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file or folder of somebody else's, or on a disk that fails: every page ended in an error."""
    for name in ("good", "bad", "locked"):
        shutil.copytree(run_folder("lstm"), tmp_path / name)
    read, stat = Path.read_bytes, os.stat

    def refused(path: Path) -> bytes:
        if path.parent.name == "bad":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return read(path)

    def locked(path: Any, **how: Any) -> os.stat_result:
        if "locked" in str(path):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return stat(path, **how)

    monkeypatch.setattr(Path, "read_bytes", refused)
    monkeypatch.setattr(os, "stat", locked)
    store = RunStore(tmp_path)
    assert [run.id for run in store.all()] == ["good"]
    with pytest.raises(ValueError, match=r"run\.json can't be read: permission denied"):
        store.find("bad")
    with pytest.raises(LookupError, match="no run 'locked'"):
        store.find("locked")


def test_a_failed_start_leaves_a_finished_run_alone(run_folder: Folder, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    shutil.copytree(run_folder("lstm"), folder)
    with pytest.raises(ValueError, match="nothing to learn from"):
        next(fit(folder, recipe("lstm"), "\n"))
    assert RunStore().find(str(folder)).model == "lstm"


def test_writing_is_all_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "file"
    files.write_bytes(target, b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("engine.storage.files.os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        files.write_bytes(target, b"new")
    assert target.read_bytes() == b"old"


def test_a_name_never_leaves_the_store(tmp_path: Path, run_folder: Folder) -> None:
    """An id is a name in the store; a path is only followed when it is a run folder itself."""
    for name in ("", ".", "..", "../..", "nobody", "x" * 40):
        with pytest.raises(LookupError, match="no run"):
            RunStore(tmp_path).find(name)


def test_half_precision_is_stored_as_such(tmp_path: Path) -> None:
    for _ in fit(tmp_path / "half", recipe("lstm"), TEXT, numbers="float16"):
        pass
    arrays = read_arrays(tmp_path / "half" / WEIGHTS)
    assert {v.dtype for k, v in arrays.items() if k != "tokenizer"} == {np.dtype(np.float16)}
    store = RunStore(tmp_path)
    assert (
        store.load(store.find("half")).trace("the cat").field("probability").values.dtype
        == np.float32
    )


def test_snapshots_lie_evenly_on_a_logarithmic_scale() -> None:
    due = fitting.LogSchedule(1000, 4, 1)
    assert [step for step in range(1, 1001) if due(step)] == [1, 10, 100, 1000]
    late = fitting.LogSchedule(1000, 4, 50)  # a training that goes on from step 49
    # the first report after the mark; 1,000 is none
    assert [step for step in range(50, 1001, 7) if late(step)] == [106]
    none = fitting.LogSchedule(1000, 0, 1)
    assert not any(none(step) for step in range(1, 1001))


def test_a_snapshot_is_the_model_of_that_step(tmp_path: Path) -> None:
    """What was kept at step k is what the progress of step k said, and the model opened there has
    those vectors."""
    seen: dict[int, np.ndarray] = {}
    made = recipe("skipgram")
    for progress in fit(tmp_path / "run", made, TEXT, snapshots=5):
        assert progress.now is not None
        seen[progress.step] = progress.now().in_VD
    store = RunStore(tmp_path)
    run = store.find("run")
    assert 2 <= len(run.snapshots) <= 5 and max(run.snapshots) == progress.step
    for step in run.snapshots:
        at = store.find(f"run@{step}")
        assert (
            at.id == f"run@{step}"
            and at.at(None).id == "run"
            and at.note["recipe"] != run.note["recipe"]
        )
        np.testing.assert_array_equal(store.load(at).in_VD, seen[step])
    assert not np.array_equal(store.load(run.at(min(run.snapshots))).in_VD, store.load(run).in_VD)
    with pytest.raises(LookupError, match="no snapshot of step 99; kept are 1, "):
        store.find("run@99")
    for _ in fit(tmp_path / "run", made, TEXT):  # made again without any: the old ones go
        pass
    assert not RunStore(tmp_path).find("run").snapshots


def test_weights_that_do_not_fit_are_told_without_the_names_of_errors(
    tmp_path: Path, run_folder: Folder
) -> None:
    """Found by tests/bench/attack.py: “Error(s) in loading state_dict for Net: ...”."""
    shutil.copytree(run_folder("lstm"), tmp_path / "bad")
    note = json.loads((tmp_path / "bad" / NOTE).read_text(encoding="utf-8"))
    note["config"]["layers"] = 3
    (tmp_path / "bad" / NOTE).write_text(json.dumps(note), encoding="utf-8")
    store = RunStore(tmp_path)
    with pytest.raises(ValueError, match="its weights do not fit its settings"):
        store.load(store.find("bad"))
