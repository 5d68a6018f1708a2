"""Runs and trainings under attack: started twice at once, a run.json written by hand."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from engine.jobs import process
from engine.runs.store import RunStore
from engine.storage.run_folder import NOTE, PROBES, STATUS
from engine.training import job as jobs
from engine.training import probes, status
from engine.training.job import Job


def test_the_same_training_started_twice_at_once_is_one_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[list[str]] = []
    both = threading.Barrier(2)

    class Process:
        def __init__(self, command: list[str], **_: Any) -> None:
            begun.append(command)
            self.pid = process.me()[0]  # alive

        def poll(self) -> None:
            return None

    def start() -> None:
        both.wait()
        try:
            jobs.start(Job("lstm", ("stories",)), tmp_path / "lstm-1")
        except ValueError as problem:
            said.append(str(problem))

    said: list[str] = []
    read = status.read

    def slowly(folder: Path) -> Any:
        found = read(folder)
        threading.Event().wait(0.05)  # long enough that the other one reads the same
        return found

    monkeypatch.setattr(process.subprocess, "Popen", Process)
    monkeypatch.setattr(status, "read", slowly)
    monkeypatch.setattr(process, "_started", [])
    windows = [threading.Thread(target=start) for _ in range(2)]
    for window in windows:
        window.start()
    for window in windows:
        window.join()
    assert len(begun) == 1
    assert said == ["the training in lstm-1 is going on already"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"config": [1], "corpus": 5, "held_out": "good", "steps": "many", "seconds": None},
        {
            "corpus": {"name": "a text", "characters": "x"},
            "held_out": {"bits_per_char": "low"},
            "steps": float("nan"),
        },
        {"steps": 10**400, "seconds": float("inf"), "held_out": {"bits_per_char": 10**400}},
    ],
)
def test_what_is_of_the_wrong_kind_in_a_note_counts_as_not_said(
    tmp_path: Path, wrong: dict[str, Any]
) -> None:
    folder = tmp_path / "odd"
    folder.mkdir()
    (folder / NOTE).write_text(
        json.dumps({"model": "lstm", "config": {"units": 9}, "title": "T", **wrong})
    )
    (run,) = RunStore(tmp_path).all()
    assert run.title == "T" and isinstance(run.note["config"], dict)
    assert "steps" not in run.note and "seconds" not in run.note
    assert "characters" not in run.note["corpus"] and run.note["held_out"] == {}
    assert run.note["corpus"].get("name") == (
        wrong["corpus"]["name"] if isinstance(wrong.get("corpus"), dict) else None
    )


def test_a_sound_note_is_as_it_is(tmp_path: Path) -> None:
    note = {
        "model": "lstm",
        "config": {"units": 9},
        "corpus": {"name": "a", "characters": 7},
        "held_out": {"bits_per_char": 2.5, "oov": 0},
        "steps": 3,
        "seconds": 0.5,
        "look": {"unit": 1},
    }
    (tmp_path / "fine").mkdir()
    (tmp_path / "fine" / NOTE).write_text(json.dumps(note))
    assert RunStore(tmp_path).find(str(tmp_path / "fine")).note == note


def test_a_note_nested_too_deep_is_one_sentence_and_hides_no_other(tmp_path: Path) -> None:
    for name, text in (("deep", "[" * 100_000), ("fine", '{"model": "lstm", "config": {}}')):
        (tmp_path / name).mkdir()
        (tmp_path / name / NOTE).write_text(text)
    store = RunStore(tmp_path)
    assert [run.id for run in store.all()] == ["fine"]
    with pytest.raises(ValueError, match="is damaged"):
        store.find(str(tmp_path / "deep"))


def test_files_nested_too_deep_are_nothing(tmp_path: Path) -> None:
    for name in (STATUS, jobs.JOB, PROBES):
        (tmp_path / name).write_text("[" * 100_000)
    assert (
        status.read(tmp_path) is None
        and jobs.read(tmp_path) is None
        and probes.read(tmp_path) == []
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"total": 10**400},
        {"step": 1e300},
        {"metrics": {"loss_nats": 10**400}},
        {"ahead": float("nan")},
    ],
)
def test_numbers_that_no_training_has_are_nothing(tmp_path: Path, wrong: dict[str, Any]) -> None:
    status.write(
        tmp_path, status.TrainingStatus(status.PAUSED, 3, 9, metrics={"loss_nats": float("inf")})
    )
    assert status.read(tmp_path) is not None
    path = tmp_path / STATUS
    path.write_text(json.dumps({**json.loads(path.read_text()), **wrong}))
    assert status.read(tmp_path) is None
