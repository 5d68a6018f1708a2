"""The way back through layers and through time: against torch's own gradients, whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from engine.analysis import backpropagation, backpropagation_ways
from engine.models.recurrent import RecurrentModel

TEXT = "the cat sat"


@pytest.mark.parametrize("id", ["rnn", "lstm", "gru"])
def test_the_sum_over_time_is_the_gradient(id: str, trained: Any) -> None:
    model: RecurrentModel[Any] = trained(id)
    tokens = model.tokens(TEXT)
    way = backpropagation_ways.over_steps(model, tokens)
    assert way.names == tokens.labels[:-1][::-1]
    whole = np.linalg.norm(backpropagation.truncated(model, tokens)[-1])
    assert way.whole_N[-1] == pytest.approx(whole, rel=1e-3)
    assert way.whole_N[0] == pytest.approx(way.term_N[0])
    last = len(tokens) - 2  # only the last loss has come through there
    one = backpropagation.rows(model, tokens)
    assert way.state_N[0] == pytest.approx(one.state_LQK[-1, -1, last], rel=1e-3)
    assert way.term_N[0] == pytest.approx(one.weights_LQK[-1, -1, last], rel=1e-3)
    with pytest.raises(ValueError, match="prediction"):
        backpropagation_ways.over_steps(model, tokens[:1])


def test_each_layer_has_one_term() -> None:
    before = torch.random.get_rng_state()
    x = np.linspace(0, 1, 7)
    way = backpropagation_ways.over_layers(x, 3, 4, seed=5)
    assert torch.equal(before, torch.random.get_rng_state())
    torch.manual_seed(5)
    wide = backpropagation_ways.UNITS
    layers = [nn.Linear(wide if n else 7, wide) for n in range(4)]
    net = nn.Sequential(*(part for layer in layers for part in (layer, nn.Tanh())))
    logit = nn.Linear(wide, 10)(net(torch.tensor(x, dtype=torch.float32)))
    (-logit.log_softmax(-1)[3]).backward()
    slopes = [layer.weight.grad for layer in layers[::-1]]
    wanted = [float(slope.norm()) for slope in slopes if slope is not None]
    assert way.term_N == pytest.approx(wanted, rel=1e-5) and (way.whole_N == way.term_N).all()
    assert way.names == ("layer 4", "layer 3", "layer 2", "layer 1")
    torch.random.set_rng_state(before)
