"""The page Preferences: choices are made, kept, taken back and brought back; a tuning is begun and stopped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.jobs import control, process, status
from engine.lessons.preferences import head, tuned
from tests.pages.opening import opened, said, seeing, sound

small_runs = seeing(shipped=("transformer",))
MINE = {"judge.by": "My own choices"}


def test_choices_are_kept_fitted_and_taken_back() -> None:
    at = opened("preferences", **MINE)
    assert "Choose the better of two replies a few times" in said(
        at
    ) and "0 choices so far" in said(at)
    first = [words.value for words in at.markdown if words.value.startswith("> *")]
    assert len(first) == 2
    for n, label in enumerate(("The first is better", "The second is better", "Skip")):
        (button,) = [one for one in at.button if one.label == label]
        at = sound(button.click().run())
        pair = [words.value for words in at.markdown if words.value.startswith("> *")]
        assert pair != first and len(pair) == 2
        first = pair
        assert f"{min(n + 1, 2)} choice" in said(at)
    assert "2 pairs of replies, of which the one that you chose is better" in said(at)
    assert len(head.noted(tuple(at.session_state["judge.clicks"]))) == 2
    for _ in range(2):  # the one that was skipped, and a choice
        (button,) = [one for one in at.button if one.label == "Take back"]
        at = sound(button.click().run())
    assert "One choice says too little" in said(at)


def test_an_empty_beginning_is_told_in_a_sentence() -> None:
    at = opened("preferences", **MINE, **{"judge.beginning": " "})
    assert "Type a beginning, and the model goes on from it." in said(at)


def test_a_file_is_offered_once() -> None:
    row = json.dumps({"prompt": "The cat", "chosen": "sat.", "rejected": "slept."}).encode()
    given = {"file": ("a.jsonl", row), "clicks": (), "run": None, "beginning": ""}

    def broken(run: object) -> object:
        raise ValueError

    found = head.buttons({**given, "open_run": broken})
    assert [words for _, words in found] == ["Take back", "Add 1 choice of the file"]
    added = found[-1][0]
    assert head.noted(added)[0].chosen == "sat."
    assert len(head.buttons({**given, "clicks": added, "open_run": broken})) == 1


def test_a_tuning_is_begun_and_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []

    def start(folder: Path, module: str, *arguments: str) -> None:
        begun.append(module)

    monkeypatch.setattr(tuned.detached, "start", start)
    part = {"preferences.part": "DPO: straight from the pairs", "preferences.dpo.steps": "5"}
    at = opened("preferences", **part)
    (button,) = [one for one in at.button if one.label == "Tune"]
    at = sound(button.click().run())
    assert begun == ["engine.lessons.preferences.tuned"]
    (folder,) = tuned.all_folders()
    request = json.loads((folder / tuned.REQUEST).read_text())
    assert request["settings"]["steps"] == 5 and request["asked"]["by"] == "words"
    pid, born = process.name_own()  # as if it were this process
    status.put(folder, status.Status(status.RUNNING, 1, 5, pid=pid, born=born))
    at = opened("preferences", **part)
    (button,) = [one for one in at.button if one.label == "Stop"]
    sound(button.click().run())
    assert control.read(folder) == control.STOP
    status.put(folder, status.Status(status.STOPPED, 1, 5))
    at = opened("preferences", **part)
    assert "It was stopped" in said(at) and len(begun) == 1
    (button,) = [one for one in at.button if one.label == "Go on"]
    sound(button.click().run())
    assert len(begun) == 2 and tuned.resumed(folder) == 1


def test_a_link_of_before_leads_here() -> None:
    at = opened("transformer", panel="part-what-people-prefer")
    assert "Bradley and Terry" in said(at)
