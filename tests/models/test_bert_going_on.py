"""BERT goes on from a trained one, on another text: with all its weights or a LoRA."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from engine.models.bert import Bert, Config
from engine.nn.tuning import base
from tests.conftest import TEXT

SIZES: dict[str, Any] = {"width": 16, "heads": 2, "layers": 2, "context": 32, "span": 12}
SIZES |= {"batch": 4, "steps": 6, "held_out_every": 3, "vocabulary": 60, "warmup": 0}


@pytest.fixture(scope="module")
def begun() -> Bert:
    found = list(Bert.fit(TEXT, Config(**SIZES), seed=1))[-1].model
    assert isinstance(found, Bert)
    return found


def fill(model: Bert) -> np.ndarray:
    found: np.ndarray = model.trace("the cat").field("fill").values
    return found


@pytest.mark.parametrize("tune", ["whole", "layers", "adapters", "lora"])
def test_only_what_learns_is_changed(tune: str, begun: Bert) -> None:
    config = replace(begun.config, tune=tune, unfrozen=1, lora_targets="all", rate=0.02)
    before = {name: v.clone() for name, v in begun.net.state_dict().items()}
    start = {**begun.opened(), "step": np.zeros(1, np.int64)}
    made = list(Bert.fit(TEXT, config, seed=2, resume=start))[-1].model
    assert isinstance(made, Bert)
    learning = base.learning(made.net, config)
    for name, values in made.net.state_dict().items():
        moved = name not in before or not values.equal(before[name])
        assert moved == (name in learning), name
    assert np.abs(fill(made) - fill(begun)).max() > 1e-4
    back = Bert.from_weights(config, made.weights())
    assert_allclose(fill(back), fill(made), atol=1e-6)
    if tune == "lora":  # folded in: nothing is left of A and B
        assert back.net.state_dict().keys() == before.keys() and back.config.tune == "whole"
    if tune == "layers":
        assert "embed.weight" in learning  # it guesses words as well
        assert not any(".blocks.0." in name for name in learning)
