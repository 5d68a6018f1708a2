"""A control that a part always in sight draws, and one that is chosen reads."""

from __future__ import annotations

import pytest

from engine import frame as fr
from engine.course import rooms
from tests.pages.opening import opened, said, seeing, sound

runs = seeing()
COUNT = fr.shared(fr.number("Count", 0, 9, 1))


@fr.part("", always=True)
def above(count: int = COUNT) -> fr.Blocks:
    yield f"above {count}"


@fr.part("Below")
def below(*, count: int = COUNT) -> fr.Blocks:
    yield f"below {count}"


def test_a_shared_control_is_drawn_once_and_read_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "parts", lambda id: (above, below))
    at = opened("pictures")
    for _again in range(2):
        sound(at.number_input(key="pictures.count").increment().run())
    assert "above 3" in said(at) and "below 3" in said(at)
