"""What a training writes while it goes on, what it obeys, and whose turn it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.core.registry import models
from engine.jobs import control, process
from engine.models.base import Progress
from engine.runs.store import Recipe, RunStore, digest
from engine.storage import record
from engine.storage.arrays import read_arrays
from engine.storage.run_folder import (
    CHECKPOINT,
    CONTROL,
    HISTORY,
    JOB,
    NOTE,
    PROBES,
    STATUS,
    WEIGHTS,
)
from engine.training import fit as fitting
from engine.training import job, limits, probes, queue, status
from engine.training.fit import fit
from engine.training.status import TrainingStatus
from tests.conftest import ROOT, TEXT, Patch, small


def lstm(**more: Any) -> Recipe:
    return Recipe("lstm", small(models.get("lstm"), **more), digest(TEXT), 0)


def test_a_pause_writes_a_checkpoint_and_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    whole = list(fit(tmp_path / "whole", lstm(), TEXT))
    folder = tmp_path / "parts"
    for progress in fit(folder, lstm(), TEXT):
        if progress.step == 7:
            control.write(folder, control.PAUSE)
            time.sleep(0.25)  # it is looked at five times a second
    said = status.read(folder)
    assert said is not None and said.state == status.PAUSED
    assert said.step == 8 == progress.step and said.total == 30
    assert not (folder / NOTE).exists() and (folder / CHECKPOINT).is_file()
    rest = list(fit(folder, lstm(), TEXT, resume=True))
    assert [p.step for p in rest] == list(range(9, 31))
    assert whole[-1].metrics["loss_nats"] == rest[-1].metrics["loss_nats"]
    for name, values in read_arrays(tmp_path / "whole" / WEIGHTS).items():
        np.testing.assert_array_equal(read_arrays(folder / WEIGHTS)[name], values, err_msg=name)
    assert (folder / HISTORY).read_text() == (tmp_path / "whole" / HISTORY).read_text()
    # what was only for the way is gone
    assert not [p.name for p in folder.iterdir() if p.name in fitting.ON_THE_WAY]


class Scripted:
    """A model whose held-out loss follows a script; what it learns is the number of the step."""

    config_type = small
    losses = (5.0, 4.0, 3.0, 3.5, 3.6, 2.0)

    def __init__(self, step: int) -> None:
        self.step = step

    def weights(self) -> dict[str, np.ndarray]:
        return {"step": np.array([self.step], np.int64)}

    def to(self, device: str) -> Scripted:
        return self

    def spec(self) -> tuple[()]:
        return ()

    def promise(self, name: str) -> None:
        return None

    @classmethod
    def from_weights(cls, config: Any, weights: Any) -> Scripted:
        return cls(int(weights["step"][0]))

    @classmethod
    def fit(cls, text: str, config: Any, **_: Any) -> Iterator[Progress]:
        for step, nats in enumerate(cls.losses, 1):
            done: Any = cls(step)
            last = done if step == len(cls.losses) else None
            yield Progress(
                step,
                len(cls.losses),
                {"held_out_nats": nats},
                last,
                lambda s=step: {"step": np.array([s])},
                lambda d=done: d,
            )


@pytest.fixture
def scripted(monkeypatch: Patch) -> Any:
    class Models:
        @staticmethod
        def get(id: str) -> type[Scripted]:
            return Scripted

    monkeypatch.setattr(fitting, "models", Models)
    monkeypatch.setattr(control.ControlFile, "__call__", lambda self: control.read(self._folder))
    return lambda patience=0: Recipe(
        "lstm", small(models.get("lstm")) if not patience else Patient(patience), "digest", 0
    )


@dataclass(frozen=True)
class Patient:
    patience: int


def kept(folder: Path) -> tuple[int, dict[str, Any]]:
    return int(read_arrays(folder / WEIGHTS)["step"][0]), json.loads((folder / NOTE).read_text())


def test_a_stop_keeps_the_best_model_and_patience_ends_by_itself(
    tmp_path: Path, scripted: Any
) -> None:
    for progress in fit(tmp_path / "a", scripted(), "text"):
        if progress.step == 3:
            control.write(tmp_path / "a", control.STOP)
    step, note = kept(tmp_path / "a")
    # the third was better than the fourth
    assert progress.step == 4 and step == 3 == note["steps"] and note["stopped"] == 4
    # two measurements without a better one
    assert [p.step for p in fit(tmp_path / "b", scripted(2), "text")][-1] == 5
    assert kept(tmp_path / "b")[0] == 3
    assert [p.step for p in fit(tmp_path / "c", scripted(3), "text")][-1] == 6
    assert kept(tmp_path / "c")[0] == 6
    list(fit(tmp_path / "d", scripted(), "text"))
    assert kept(tmp_path / "d")[0] == 6 and "stopped" not in kept(tmp_path / "d")[1]


def test_the_best_model_is_known_after_a_pause(tmp_path: Path, scripted: Any) -> None:
    for progress in fit(tmp_path, scripted(2), "text"):
        if progress.step == 3:
            control.write(tmp_path, control.PAUSE)
    said = status.read(tmp_path)
    assert said is not None and said.state == status.PAUSED and said.best == (3, 3.0)
    way = fitting.TrainingRun(tmp_path, scripted(2), False)
    assert way.resumed() is not None and way.best == (3, 3.0) and way.waited == 1


def test_an_error_is_told_and_nobody_asking_is_too(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="nothing to learn from"):
        next(fit(tmp_path / "empty", lstm(), "\n\n"))
    said = status.read(tmp_path / "empty")
    assert said is not None and said.state == status.FAILED
    assert "nothing to learn from" in said.error
    reports = fit(tmp_path / "left", lstm(), TEXT)
    next(reports)
    reports.close()
    said = status.read(tmp_path / "left")
    assert said is not None and said.state == status.BROKEN


def test_what_a_dead_process_said_last_is_broken_off(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        of = {"first_seconds": 20.0, "pid": child.pid, "born": process.born(child.pid)}
        running = TrainingStatus(status.RUNNING, 50, 200, seconds=30.0, first=40, **of)
        status.write(tmp_path, running)
        said = status.read(tmp_path)
        # a second a step since step 40
        assert said is not None and said.alive and said.seconds_left == pytest.approx(150)
        child.kill()
        child.wait()
    said = status.read(tmp_path)
    assert said is not None and said.state == status.BROKEN and said.step == 50
    status.write(tmp_path, TrainingStatus(status.RUNNING, pid=os.getpid(), born=1.0))
    said = status.read(tmp_path)
    assert said is not None and said.state == status.BROKEN, "a number that another process has now"


NONSENSE = ["", "{", "[]", "null", '{"step": 1}', '{"state": 3, "pid": "x"}']


@pytest.mark.parametrize("content", [*NONSENSE, '{"state": "running", "step": "many"}'])
def test_nonsense_in_the_file_is_nothing_or_no_process(tmp_path: Path, content: str) -> None:
    (tmp_path / STATUS).write_text(content)
    said = status.read(tmp_path)
    assert said is None or not said.alive


def test_a_training_of_an_earlier_version_is_read_and_goes_on(tmp_path: Path) -> None:
    """Its folder has told.json, asked and a job.json that speaks of looks."""
    whole = list(fit(tmp_path / "whole", lstm(), TEXT))
    folder = tmp_path / "old"
    for progress in fit(folder, lstm(), TEXT):
        if progress.step == 12:
            control.write(folder, control.PAUSE)
            time.sleep(0.25)
    said = json.loads((folder / STATUS).read_text())
    old: dict[str, Any] = {"state": "paused", "step": said["step"], "total": 30, "seconds": 3.5}
    old |= {"first": 0, "first_seconds": 0.0, "tokens_per_second": 900.0, "memory_bytes": 1000}
    old |= {"problem": "", "ahead": 0, "best": [3, 3.0], "metrics": {"loss_nats": float("nan")}}
    old |= {"pid": 999_999_999, "born": 1.0}
    (folder / STATUS).unlink()
    (folder / "told.json").write_text(json.dumps(old))
    (folder / "asked").write_text("pause")
    os.utime(folder / "asked", (1, 1))  # asked of a process before
    asked = {"model": "lstm", "texts": ["stories"], "looks": 4, "later": "unknown"}
    (folder / JOB).write_text(json.dumps(asked))
    read = status.read(folder)
    assert read is not None
    assert (read.state, read.step, read.best) == ("paused", said["step"], (3, 3))
    (folder / "told.json").write_text(json.dumps({**old, "state": "failed", "problem": "so."}))
    assert (read := status.read(folder)) is not None and read.error == "so."
    assert (wanted := job.read(folder)) is not None and wanted.probes == 4
    assert control.read(folder) == control.PAUSE and job.unfinished([tmp_path]) == [folder]
    steps = [progress.step for progress in fit(folder, lstm(), TEXT, resume=True)]
    assert steps == [p.step for p in whole][said["step"] :]
    assert not {"told.json", "asked", STATUS, "control"} & {p.name for p in folder.iterdir()}
    for name, values in read_arrays(tmp_path / "whole" / WEIGHTS).items():
        assert np.array_equal(values, read_arrays(folder / WEIGHTS)[name]), name


def test_a_full_disk_does_not_end_what_only_wants_to_tell(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    (whole := tmp_path / "whole").mkdir()
    status.write(whole, TrainingStatus(status.RUNNING, pid=os.getpid()))

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("engine.storage.files.os.fsync", full)
    status.write(tmp_path, TrainingStatus(status.RUNNING))
    assert status.read(tmp_path) is None
    # a last word is written over what was there
    status.failed(whole, OSError(28, "No space left on device"))
    said = status.read(whole)
    assert said is not None and said.state == status.FAILED
    assert said.error == "the disk is full; free some space and try again"
    assert [path.name for path in whole.iterdir()] == [STATUS]
    with pytest.raises(ValueError, match=r"^the disk is full"):
        list(fit(tmp_path / "new", lstm(), TEXT))
    one = job.Job("lstm", ("scenes",))
    with pytest.raises(OSError, match="No space"):
        job.start(one, tmp_path / "refused")
    assert not (tmp_path / "refused").exists()


def test_the_pace_of_steps_that_are_taken_again_is_dropped(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    """kill -9 between two checkpoints: rows behind the checkpoint, the last one cut short."""
    monkeypatch.setattr(fitting, "TELL_SECONDS", -1.0)
    path = tmp_path / fitting.PACE
    for progress in fit(tmp_path, lstm(), TEXT):
        if progress.step == 7:
            control.write(tmp_path, control.PAUSE)
            time.sleep(0.25)
    kept = path.read_text()
    assert kept.startswith("step,seconds\n1,") and kept.splitlines()[-1].startswith("8,")
    path.write_text(kept + "9,3.5\n10,4.2\n11,")
    list(fit(tmp_path, lstm(), TEXT, resume=True))
    rows = [line.split(",") for line in path.read_text().splitlines()]
    assert path.read_text().startswith(kept)
    assert [int(step) for step, _ in rows[1:]] == list(range(1, 31))
    seconds = [float(at) for _, at in rows[1:]]
    assert seconds == sorted(seconds)


def test_turns_come_in_order_and_dead_tickets_do_not_count(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    monkeypatch.setenv("UNROLLED_TRAININGS", "1")
    (tmp_path / "00000000000000000001-99.json").write_text('{"pid": 999999999, "born": 1.0}')
    (tmp_path / "00000000000000000002-98.json").write_text("nonsense")
    with queue.wait_turn(tmp_path, lambda ahead: pytest.fail("nobody alive stands before")) as goes:
        assert goes and len(list(tmp_path.iterdir())) == 1
        seen = []

        def wait(ahead: int) -> bool:
            seen.append(ahead)
            return len(seen) < 2

        with queue.wait_turn(tmp_path, wait) as later:
            assert not later
            monkeypatch.setenv("UNROLLED_TRAININGS", "3")
            with queue.wait_turn(tmp_path, lambda ahead: pytest.fail("room for three")) as third:
                assert third
        assert seen == [1, 1]
    assert not list(tmp_path.iterdir())


def test_two_never_take_the_same_turn(tmp_path: Path, monkeypatch: Patch) -> None:
    """Who drew first is slow to put its ticket there; it was before all others nevertheless."""
    monkeypatch.setenv("UNROLLED_TRAININGS", "1")
    save, first, inside, most = record.save, threading.Event(), list[int](), list[int]()

    def late(path: Path, value: object) -> None:
        if not first.is_set():
            first.set()
            time.sleep(0.3)
        save(path, value)

    def train() -> None:
        with queue.wait_turn(tmp_path / "queue", lambda ahead: True):
            inside.append(0)
            most.append(len(inside))
            time.sleep(0.6)
            inside.pop()

    monkeypatch.setattr(record, "save", late)
    threads = [threading.Thread(target=train) for _ in range(3)]
    threads[0].start()
    assert first.wait(5)
    for thread in threads[1:]:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert most == [1, 1, 1]


def test_a_clock_that_was_put_back_lets_nobody_in_front(tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setenv("UNROLLED_TRAININGS", "1")
    with queue.wait_turn(tmp_path / "queue", lambda ahead: True):
        monkeypatch.setattr(queue.time, "time_ns", lambda: 5)
        with queue.wait_turn(tmp_path / "queue", lambda ahead: False) as goes:
            assert not goes


def test_the_limit_of_trainings(monkeypatch: Patch) -> None:
    for given, wanted in (("3", 3), ("0", 1), ("many", max(1, (os.cpu_count() or 1) // 2))):
        monkeypatch.setenv("UNROLLED_TRAININGS", given)
        assert queue.limit() == wanted


def test_two_servers_start_a_training_once(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "mine"
    code = f"""
import time
from pathlib import Path
from engine.jobs import detached
from engine.training import job
begin = detached.start
def slow(*what, **how):
    time.sleep(2)
    return begin(*what, **how)
detached.start = slow
try:
    job.start(job.Job("lstm", ("none.txt",)), Path({str(folder)!r}))
    print("begun")
except ValueError as error:
    print(error)
"""
    children = [child(code) for _ in range(2)]
    said = sorted(made.communicate(timeout=120)[0].strip() for made in children)
    assert said == ["begun", "the training in mine is going on already"]


def child(code: str) -> subprocess.Popen[str]:
    how: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, **how)


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is one of Linux")
def test_memory_is_limited_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text(TEXT)
    code = (
        "from engine.__main__ import main; raise SystemExit(main(['train', 'ngram', '--text',"
        f" {str(tmp_path / 'text.txt')!r}, '--memory', '0.0001', '--out',"
        f" {str(tmp_path / 'run')!r}]))"
    )
    with child(code) as made:
        _, errors = made.communicate(timeout=120)
    assert made.returncode == 2 and "not enough memory" in errors and "Traceback" not in errors


def test_a_training_pauses_when_its_parent_is_gone(tmp_path: Path, monkeypatch: Patch) -> None:
    parents = iter([10, 10, 1])
    monkeypatch.setattr(os, "getppid", lambda: next(parents))
    killed: list[int] = []
    monkeypatch.setattr(os, "kill", lambda pid, number: killed.append(pid))
    monkeypatch.setattr(limits.time, "sleep", lambda seconds: None)
    limits.end_with_parent(tmp_path)
    until = time.monotonic() + 5
    while not killed and time.monotonic() < until:
        pass
    assert (tmp_path / CONTROL).read_text() == control.PAUSE and killed == [os.getpid()]


def test_looks_show_the_model_of_their_step(tmp_path: Path) -> None:
    list(fit(tmp_path, lstm(), TEXT, snapshots=4, probes=4, prompts=["the "]))
    rows = probes.read(tmp_path)
    store = RunStore(tmp_path.parent)
    run = store.find(str(tmp_path))
    assert [row["step"] for row in rows] == list(run.snapshots) == [1, 3, 10, 30]
    for row in rows:
        model = store.load(run.at(row["step"]))
        assert row["samples"] == [["the ", probes.written(model, "the ")]]
        name, found = next(iter(row["weights"].items()))
        values = model.weights()[name]
        assert sum(found["counts"]) == values.size
        assert (found["low"], found["high"]) == (values.min(), values.max())
        assert set(row["activations"]) >= {"gate.forget", "hidden"}
    assert rows[0]["samples"] != rows[-1]["samples"]
    (tmp_path / PROBES).write_text('{"step": 1}\nnonsense\n{"step": 2')
    assert probes.read(tmp_path) == [{"step": 1}]
