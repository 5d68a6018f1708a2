"""The switch at the foot of the menu: a sentence where nothing can be chosen; what is chosen reaches the models."""

from __future__ import annotations

from typing import Any

import pytest

from engine.core import device
from engine.core.device import Choice, Gpu
from engine.live.shown import Shown
from engine.live.stage import Stage
from tests.pages.opening import opened, seeing
from tests.pages.test_every_page import answered

runs = seeing("lstm")


@pytest.mark.parametrize(
    ("there", "said", "words"),
    [
        (False, "", "Models run on the processor; no GPU found."),
        (True, "cpu", "Models run on the Processor, as UNROLLED_DEVICE says."),
        (True, "tpu", "UNROLLED_DEVICE is 'tpu'; it can be auto, cpu or cuda."),
    ],
)
def test_nothing_to_choose(there: bool, said: str, words: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(device, "has_gpu", lambda: there)
    monkeypatch.setenv("UNROLLED_DEVICE", said)
    at = opened("lstm")
    assert [c.value for c in at.sidebar.caption][-1] == words
    assert "device" not in {box.key for box in at.sidebar.selectbox}


def test_what_is_chosen_reaches_the_models(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Choice | None] = []
    plain = Stage.notes

    def notes(self: Stage, every: tuple[Shown, ...]) -> list[str]:
        asked.append(self.device)
        return plain(self, every)

    monkeypatch.setattr(Stage, "notes", notes)
    monkeypatch.setattr(device, "has_gpu", lambda: True)
    monkeypatch.setattr(device, "gpu", lambda: Gpu("cuda", "Pretended", 8_000_000_000))
    monkeypatch.setenv("UNROLLED_DEVICE", "cpu")  # nothing is to be put on it here
    monkeypatch.setattr(device, "read_choice", lambda: Choice.AUTO)
    at = opened("lstm")
    switch = at.sidebar.selectbox(key="device")
    assert switch.label == "Models run on"
    assert switch.options == ["The faster one", "GPU", "Processor"]
    switch.select(Choice.CPU).run()
    header, _ = answered(at, "lstm", "a text")
    assert asked[-1] is Choice.CPU
    assert any("runs on the processor, as chosen" in note for note in header["notes"])
