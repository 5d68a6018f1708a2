"""A training in a process of its own: it waits, pauses, is killed, and ends as if nothing was."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine.core.registry import models
from engine.jobs import control, process
from engine.runs.store import Recipe, RunStore, digest
from engine.storage.arrays import read_arrays
from engine.storage.files import write_bytes
from engine.storage.run_folder import CHECKPOINT, CONTROL, HISTORY, NOTE, WEIGHTS
from engine.training import history, job, queue, status
from engine.training.fit import fit
from engine.training.job import Job
from tests.conftest import TEXT, Patch

SETTINGS = {"units": 96, "width": 24, "layers": 1, "batch": 16, "span": 48, "steps": 200}
SETTINGS["held_out_every"] = 50
WAIT = 120.0


def until(true: Callable[[], object], what: str) -> None:
    end = time.monotonic() + WAIT
    while not true():
        assert time.monotonic() < end, f"waited in vain for: {what}"
        time.sleep(0.02)


def state(folder: Path) -> str:
    found = status.read(folder)
    return found.state if found else ""


def test_wait_pause_kill_and_go_on_to_the_same_losses(tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path))
    monkeypatch.setenv("UNROLLED_TRAININGS", "1")
    text = tmp_path / "text.txt"
    text.write_text(TEXT, encoding="utf-8")
    config = models.get("lstm").config_type(**SETTINGS)
    whole, folder = tmp_path / "whole", tmp_path / "runs" / "mine"
    list(fit(whole, Recipe("lstm", config, digest(TEXT), 3), TEXT, snapshots=4))

    sets = tuple(f"{k}={v}" for k, v in SETTINGS.items())
    more = {"seed": 3, "device": "cpu", "snapshots": 4, "title": "Mine", "queue": True}
    asked = Job("lstm", (str(text),), sets, **more)  # type: ignore[arg-type]
    with queue.wait_turn(tmp_path / "queue", lambda ahead: True):
        job.start(asked, folder)
        with pytest.raises(ValueError, match="going on already"):
            job.start(asked, folder)
        until(lambda: state(folder) == status.WAITING, "its place in line")
        assert status.read(folder).ahead == 1  # type: ignore[union-attr]
    until(lambda: state(folder) != status.WAITING, "its turn")
    # before it has read anything of the text: it counts all the same
    control.write(folder, control.PAUSE)
    until(lambda: state(folder) == status.PAUSED, "the pause")
    paused = status.read(folder)
    assert paused and paused.step < SETTINGS["steps"] and (folder / CHECKPOINT).is_file()
    assert job.unfinished([tmp_path / "runs"]) == [folder]
    until(lambda: not process.is_alive(paused.pid, paused.born), "its process to end")

    assert job.read(folder) == asked
    job.start(asked, folder)

    def further() -> bool:
        last = status.read(folder)
        return bool(last and last.state == status.RUNNING and last.step > paused.step)

    until(further, "some more steps")
    os.kill(status.read(folder).pid, signal.SIGKILL)  # type: ignore[union-attr]
    until(lambda: state(folder) == status.BROKEN, "that it is noticed")
    assert not (folder / NOTE).exists()

    job.start(asked, folder)
    begun = [(said.pid, said.born) for said in [status.read(folder)] if said]
    until((folder / NOTE).is_file, "the end")
    last = begun[-1]
    until(lambda: not process.is_alive(*last), "its process to end")
    for name, (steps, values) in history.read(whole / HISTORY).items():
        again = history.read(folder / HISTORY)[name]
        assert np.array_equal(steps, again[0]) and np.array_equal(values, again[1]), name
    weights = read_arrays(folder / WEIGHTS)
    written = read_arrays(whole / WEIGHTS).items()
    assert all(np.array_equal(values, weights[name]) for name, values in written)
    run = RunStore(tmp_path / "runs").find("mine")
    assert run.title == "Mine"
    assert list(run.snapshots) == list(RunStore(tmp_path).find("whole").snapshots)
    assert job.finished([tmp_path / "runs"], 3) == [folder]
    assert job.unfinished([tmp_path / "runs"]) == []
    with pytest.raises(ValueError, match="finished already"):
        job.start(asked, folder)
    with pytest.raises(ValueError, match="delete the run instead"):
        job.drop(folder)


def test_what_was_asked_before_a_process_began_does_not_hold_for_it(tmp_path: Path) -> None:
    control.write(tmp_path, control.PAUSE)
    ear = control.ControlFile(tmp_path)
    ear.forget_older()
    assert ear() == control.PAUSE  # asked of this process
    os.utime(tmp_path / CONTROL, (1, 1))
    ear.forget_older()
    assert not (tmp_path / CONTROL).exists()
    control.write(tmp_path, control.STOP)
    control.ControlFile(tmp_path).obeyed()
    assert control.ControlFile(tmp_path)() == ""


def test_throw_away(tmp_path: Path) -> None:
    kept, gone = tmp_path / "kept", tmp_path / "gone"
    for folder in (kept, gone):
        folder.mkdir()
        Job("lstm", ("stories",)).write(folder)
    job.drop(gone)
    assert job.unfinished([tmp_path]) == [kept]
    assert not gone.exists()
    assert not list((tmp_path / ".gone").iterdir())
    with pytest.raises(ValueError, match="can't be discarded: no such file"):
        job.drop(gone)
    away = tmp_path / "link"
    away.symlink_to(kept)
    with pytest.raises(ValueError):
        job.drop(away)


JOBS = [b"", b"[]", b"{}", b"\xff\xfe", b'{"model": 1}', b'{"model": "lstm", "texts": 5}']
JOBS += [b'{"model": "lstm", "texts": []}', b'{"model": "lstm", "texts": ["a"], "title": 5}']


@pytest.mark.parametrize("raw", [*JOBS, b'{"model": "lstm", "texts": ["a"], "seed": "x"}'])
def test_a_damaged_job_is_none(raw: bytes, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    write_bytes(folder / job.JOB, raw)
    assert job.read(folder) is None
    assert job.unfinished([tmp_path]) == [folder]


def test_last_words(tmp_path: Path) -> None:
    assert job.last_words(tmp_path) == ""
    (tmp_path / job.LOG).write_bytes(b"step 1\rstep 2\r\nerror: there is no file nope\n\n")
    assert job.last_words(tmp_path) == "there is no file nope"


def test_a_history_that_grows_is_read_on(tmp_path: Path) -> None:
    path = tmp_path / HISTORY
    made, tail = history.History(path), history.Tail(path)
    rng, whole = np.random.default_rng(0), history.Tail
    for step in range(1, 101):
        told = {"loss_nats": rng.random()} | ({"held_out_nats": 1.0} if step % 10 == 0 else {})
        made.add(step, told)
        if step % 7 == 0:
            made.flush()
            with path.open("a", encoding="utf-8") as file:
                file.write("999,loss_na")  # in the middle of a line
            found = tail.read()
            assert found["loss_nats"][0].tolist() == list(range(1, step + 1))
            path.write_bytes(path.read_bytes()[: -len("999,loss_na")])
    made.flush()
    assert {k: v[1].tolist() for k, v in tail.read().items()} == {
        k: v[1].tolist() for k, v in whole(path).read().items()
    }
    again = history.History(path, 40)  # a training that goes on from its checkpoint
    assert tail.read()["loss_nats"][0].tolist() == list(range(1, 41))
    assert path.read_text().startswith("step,metric,value\n1,loss_nats,0.6369")
    again.add(41, {"loss_nats": float("nan")})
    again.flush()
    steps, values = tail.read()["loss_nats"]
    assert steps[-1] == 41 and np.isnan(values[-1])
    assert history.Tail(tmp_path / "none.csv").read() == {}
    path.write_bytes(
        b"step,metric,value\n\xff\xfe,a,1\n1,,1\nx,a,1\n1,a,one\n" + b"9" * 40 + b",a,1\n2,a,3\n"
    )
    assert history.read(path)["a"][1].tolist() == [3.0]


def test_thinned_curves_keep_every_spike() -> None:
    steps = np.arange(1, 200_001)
    values = np.sin(steps / 3000)
    values[[777, 150_001]] = 50.0, -40.0
    values[123_456] = np.nan
    thin_steps, thin_values = history.thin((steps, values), 400)
    assert len(thin_steps) <= 402 and (np.diff(thin_steps) > 0).all()
    assert {50.0, -40.0} <= set(thin_values.tolist()) and np.isnan(thin_values).any()
    assert (thin_steps[0], thin_steps[-1]) == (1, 200_000)
    assert np.array_equal(values[thin_steps - 1], thin_values, equal_nan=True)
    short = steps[:400], values[:400]
    assert history.thin(short, 400) is short


def test_smoothing_is_the_mean_around_each_step() -> None:
    values = np.array([1.0, 2.0, np.nan, 4.0, 9.0] * 20)
    _, found = history.smooth((np.arange(100), values), 0.04)  # two on either side
    by_hand = [np.nanmean(values[max(0, i - 2) : i + 3]) for i in range(100)]
    assert found == pytest.approx(by_hand)
    assert len(history.smooth((np.zeros(0), np.zeros(0)))[1]) == 0
