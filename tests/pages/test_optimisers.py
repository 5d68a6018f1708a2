"""The page on optimisers: what is chosen is what is raced, and every part leads to the training room
with settings that it takes."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from engine.analysis.optimising import early, small_net
from engine.analysis.optimising.fitting import fitting
from engine.cli import settings
from engine.core.registry import models
from pages.ui import board, train
from pages.ui.optimisers import decay, net, race, schedule
from pages.ui.training import verdict
from tests.conftest import ROOT
from tests.pages.tables import tables

PARTS = (
    "Learning rate",
    "A growing batch",
    "Accumulation",
    "Label smoothing",
    "Weight decay",
    "Early stopping",
)


def opened(**query: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for name, value in query.items():
        at.query_params[name] = value
    at = at.switch_page("pages/607_optimisers.py").run()
    assert not at.exception, at.exception
    return at


def links(at: AppTest) -> list[Any]:
    """The configs that the links ask for."""
    found = []
    for link in at.get("page_link"):
        asked = {k: v[0] for k, v in parse_qs(link.proto.query_string).items()}
        if train.ASKED in asked:
            model = models.get(asked["model"])
            found.append(settings.config(model, train.parted(asked[train.ASKED])))
    return found


def said(at: AppTest) -> str:
    return "\n".join(
        str(e.value) for kind in ("markdown", "latex", "info", "caption") for e in getattr(at, kind)
    )


@pytest.mark.parametrize("part", PARTS)
def test_every_part_leads_to_the_training_room(part: str) -> None:
    at = opened(part=part)
    configs = links(at)
    assert len(configs) == 2 and configs[0].optimiser == "rmsprop"


def test_the_race_follows_what_is_chosen() -> None:
    at = opened()
    assert "RMSprop is lowest after 150 steps" in said(at)
    at.slider(key="times").set_value(4).run()
    assert (
        "SGD diverges: its loss is infinite (beyond float32) from step" in said(at)
        and not at.exception
    )
    at.multiselect(key="racers").set_value([]).run()
    assert "Choose at least one optimiser" in said(at)
    at.multiselect(key="racers").set_value(["muon"]).run()
    at.selectbox(key="surface").set_value("four").run()
    assert not at.exception and at.number_input(key="x").value == -0.5  # where that one begins
    assert r"\text{orthogonal}" in said(at)


def test_what_a_browser_draws_is_held_in_range(monkeypatch: pytest.MonkeyPatch) -> None:
    held: dict[str, Any] = {}
    for place in (race, schedule):
        monkeypatch.setattr(place.st, "session_state", held)
    race._moved("valley", {"x": 99.0, "y": -0.5})
    assert (held["x"], held["y"]) == (3.2, -0.5)
    race._moved("valley", {"x": "a", "y": float("nan")})
    assert (held["x"], held["y"]) == (3.2, -0.5)
    schedule._drawn({"rate": 5, "warmup": -3, "steps": 10**9})
    low, high = schedule.ranges()["rate"]
    assert held["s_rate"] == high > low and held["s_warmup"] == 0
    assert held["s_steps"] == schedule.ranges()["steps"][1]
    assert board.number({"x": True}, "x", 0, 1) is None


def test_the_smooth_curve_is_a_mean() -> None:
    assert net.smooth([1.0, 3.0]) == [1.0, 2.0]
    assert net.smooth([0.0] * 5 + [1.0] * 10)[-1] == 1.0
    trained = net.Training(loss=[2.0, 4.0])
    values = {"rate": 0.01, "warmup": 1, "steps": 2}
    held = ("cosine", values, trained)
    assert net.overlay(held, "cosine", values) == [(1, 2.0), (2, 3.0)]
    assert net.overlay(held, "linear", values) == net.overlay(None, "cosine", values) == []


def test_sizes_and_decays_are_trained_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_net, "LETTERS", 3_000)
    monkeypatch.setattr(net, "SIZES", (2, 4))
    monkeypatch.setattr(net, "STEPS", 3)
    monkeypatch.setattr(decay, "SHARES", (0.0, 0.3))
    net._done.clear()
    at = opened(part="A small network")
    at.multiselect(key="net_racers").set_value(["adam"]).run()
    at.button(key="net_start").click().run()
    at.button(key="net_sizes").click().run()
    assert not at.exception and "Lowest on held-out text" in said(at)
    (two,) = (one for key, one in net._done().items() if "('units', 2)" in key)
    assert f"{two.parameters:,} to" in said(at)
    at = opened(part="Weight decay")
    at.button(key="decay_train").click().run()
    assert not at.exception
    (table,) = (found for found in tables(at) if "held-out loss" in found.columns)
    (pulled,) = (one for key, one in net._done().items() if "('decay', 0.3)" in key)
    assert table["weight decay"].tolist() == [0.0, 0.3]
    assert table["held-out loss"][1] == pulled.held
    wanted = np.sqrt(np.mean(np.square(pulled.weights)))
    assert table["root mean square of the weights"][1] == pytest.approx(wanted)
    net._done.clear()


def test_a_growing_batch_at_its_ends() -> None:
    at = opened(part="A growing batch", g_first="64", g_factor="8", g_stages="5", g_rate="2.2")
    assert not at.exception
    at.slider(key="g_rate").set_value(0.05).run()
    at.slider(key="g_noise").set_value(0.0).run()
    assert not at.exception


def test_the_verdict_is_that_of_the_curves() -> None:
    at = opened(part="Early stopping")
    whole = early.overfit(0, seed=0)
    end = early.overfit(4, seed=0).stop.end
    steps = np.arange(1, end + 1)
    found = fitting((steps, whole.train[:end]), (steps, whole.held[:end]))
    assert found is not None and verdict.said(found, "measurement") in said(at)
    assert found.verdict == "overfitted" and "**Overfitted.**" in said(at)
