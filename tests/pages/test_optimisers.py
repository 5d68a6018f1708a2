"""The page on optimisers: addresses, what its boards wish for, and buttons that begin a training."""

from __future__ import annotations

import pytest

from engine.lessons.optimisers import parts, small_net
from tests.pages.opening import opened, said


def test_an_address_opens_what_was_chosen() -> None:
    """In one of before, controls stood under bare names."""
    for name in ("schedule", "optimisers.schedule.schedule"):
        asked = {name: "noam", "s_steps": "5000", "surface": "four", "of": "sgd", "times": "1"}
        at = opened("optimisers", **asked)
        assert at.selectbox(key="optimisers.schedule.schedule").value == "noam"
        assert at.number_input(key="optimisers.schedule.s_steps").value == 5000
        assert at.selectbox(key="optimisers.race.of").value == "sgd"
        assert at.slider(key="optimisers.race.times").value == 1
        assert at.number_input(key="optimisers.race.x").value == -0.5
    held = {"part": "Label smoothing", "epsilon": "0.3", "right": "2"}
    at = opened("optimisers", racers=["muon", "adam"], **held)
    assert [*at.multiselect(key="optimisers.race.racers").value] == ["adam", "muon"]
    assert at.slider(key="optimisers.smoothing.epsilon").value == 0.3
    odd = {"racers": "no such one", "x": "far", "step_n": "-7", "s_rate": "9" * 400}
    assert "RMSprop is lowest after 150 steps" in said(opened("optimisers", **odd))


def test_another_surface_begins_elsewhere() -> None:
    """Unless the start was chosen together with it."""
    at = opened("optimisers", x="-1.2")
    assert at.number_input(key="optimisers.race.x").value == -1.2
    at.selectbox(key="optimisers.race.surface").set_value("four").run()
    assert at.number_input(key="optimisers.race.x").value == -0.5
    at.number_input(key="optimisers.race.x").set_value(2.0).run()
    at.multiselect(key="optimisers.race.racers").set_value(["muon"]).run()
    assert at.number_input(key="optimisers.race.x").value == 2.0
    at.multiselect(key="optimisers.race.racers").set_value([]).run()
    assert not at.exception and "Choose at least one optimiser above" in said(at)
    at = opened("optimisers", surface="saddle", x="-1.2", y="0.5")
    assert at.number_input(key="optimisers.race.y").value == 0.5


def test_a_training_begins_with_its_button(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_net, "LETTERS", 3_000)
    monkeypatch.setattr(parts, "NET_STEPS", 2)
    monkeypatch.setattr(parts, "UNITS", (2,))
    at = opened("optimisers", part="A small network", **{"optimisers.net.net_start": "true"})
    assert "some seconds for each optimiser" in said(at)  # no link begins it
    at.multiselect(key="optimisers.net.net_racers").set_value(["adam"]).run()
    at.button(key="optimisers.net.net_start.button").click().run()
    assert not at.exception and "**Adam** is lowest" in said(at)
    at = opened("optimisers", part="Learning rate", s_steps="5")
    begin = at.button(key="optimisers.schedule.s_train.button")
    assert not begin.disabled
    begin.click().run()
    assert not at.exception and at.session_state["optimisers.schedule.s_train"][3] == 5
    at.number_input(key="optimisers.schedule.s_steps").set_value(401).run()
    assert at.button(key="optimisers.schedule.s_train.button").disabled
