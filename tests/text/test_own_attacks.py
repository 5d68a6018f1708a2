"""Runs and trainings under attack: started twice at once, a run.json written by hand."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from engine.runs.store import RunStore
from engine.storage.run_folder import NOTE, PROBES, STATUS
from engine.training import job as jobs
from engine.training import probes, status
from tests.conftest import together


@together(
    "wrong",
    [
        {"config": [1], "corpus": 5, "held_out": "good", "steps": "many", "seconds": None},
        {"corpus": {"name": "a text", "characters": "x"}, "steps": float("nan")},
        {"steps": 10**400, "seconds": float("inf"), "held_out": {"bits_per_char": 10**400}},
    ],
)
def test_what_is_of_the_wrong_kind_in_a_note_counts_as_not_said(wrong: dict[str, Any]) -> None:
    with TemporaryDirectory() as folder:
        (Path(folder) / "odd").mkdir()
        note = {"model": "lstm", "config": {"units": 9}, "title": "T", **wrong}
        (Path(folder) / "odd" / NOTE).write_text(json.dumps(note))
        (run,) = RunStore(Path(folder)).all()
    assert run.title == "T" and isinstance(run.note["config"], dict)
    assert "steps" not in run.note and "seconds" not in run.note
    assert "characters" not in run.note["corpus"] and run.note["held_out"] == {}
    given = wrong.get("corpus")
    assert run.note["corpus"].get("name") == (given["name"] if isinstance(given, dict) else None)


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
    assert status.read(tmp_path) is None
    assert jobs.read(tmp_path) is None
    assert probes.read(tmp_path) == []


def test_numbers_that_no_training_has_are_nothing(tmp_path: Path) -> None:
    path, told = tmp_path / STATUS, {"loss_nats": float("inf")}
    for wrong in (
        {"total": 10**400},
        {"step": 1e300},
        {"metrics": {"loss_nats": 10**400}},
        {"ahead": float("nan")},
    ):
        status.write(tmp_path, status.TrainingStatus(status.PAUSED, 3, 9, metrics=told))
        assert status.read(tmp_path) is not None
        path.write_text(json.dumps({**json.loads(path.read_text()), **wrong}))
        assert status.read(tmp_path) is None
