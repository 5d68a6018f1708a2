"""Steps of gradient descent on a text."""

from __future__ import annotations

import numpy as np

from engine.analysis import backpropagation
from tests.models.test_gradients import TEXT, made


def test_a_divergence_is_told_with_its_step() -> None:
    model = made("rnn", layers=1)
    model.net.float()
    found = backpropagation.update(model, model.tokens(TEXT), 1e38, steps=9)
    assert 0 < found.broke < 9 and not np.isfinite(found.after_Q).all()
    calm = backpropagation.update(model, model.tokens(TEXT), 1e-3, steps=3)
    once = backpropagation.update(model, model.tokens(TEXT), 1e-3)
    assert calm.broke == 0 and 0 < once.changed["head.weight"] < calm.changed["head.weight"]
    assert calm.after_Q.sum() < once.after_Q.sum() < once.before_Q.sum()
