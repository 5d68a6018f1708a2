"""A part that takes longer than the page waits: how far it is, a button to stop it, and what was found in the end."""

from __future__ import annotations

import time

import pytest
from streamlit.testing.v1 import AppTest

from engine.course import rooms
from engine.frame import making
from tests.pages.opening import opened, said, seeing, sound

runs = seeing(shipped=("sentiment",))


def button(at: AppTest, label: str) -> bool:
    return any(one.label == label for one in at.button)


def test_it_is_stopped_gone_on_with_and_found_by_the_next_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (part,) = (one for one in rooms.parts("trial") if one.id == "calibration")
    monkeypatch.setattr(making, "PATIENCE", 0.0)
    at = opened("trial", **{"run": "sentiment", "trial.part": part.title, "trial.most": "2000"})
    assert button(at, "Stop") and "sure to" not in said(at)
    sound(at.button(key="calibration.stop").click().run())
    assert "It was stopped." in said(at) and not button(at, "Stop")
    sound(at.button(key="calibration.again").click().run())
    assert "It was stopped." not in said(at)
    end = time.monotonic() + 60
    while "sure to" not in said(at):
        assert time.monotonic() < end
        time.sleep(0.2)
        at = opened("trial", **{"run": "sentiment", "trial.part": part.title, "trial.most": "2000"})
    assert not button(at, "Stop") and not button(at, "Go on")
