"""The receptive field of dilated convolutions: counted, and seen in a model whose
tokens are changed one at a time."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core.registry import models
from engine.lessons.convolution import receptive_field
from engine.models.base import train
from tests.conftest import small, text_of, together


def test_how_far_it_sees() -> None:
    for layers, kernel in ((1, 2), (3, 2), (5, 2), (2, 3), (3, 4)):
        seen = {500}
        for back in (2**layer for layer in reversed(range(layers))):
            seen = {place - k * back for place in seen for k in range(kernel)}
        assert len(seen) == receptive_field.reach(layers, kernel) == 501 - min(seen)
    assert receptive_field.reach(5, 2) == 32 and receptive_field.reach(5, 2, dilated=False) == 6


@together("kernel", [2, 3])
def test_only_tokens_within_it_have_an_effect(kernel: int) -> None:
    kind = models.get("convolution")
    model = train(kind, text_of(kind), small(kind, layers=2, kernel=kernel, steps=10))
    text = "the old cat sat on a mat"
    found = receptive_field.measure(model, text)
    count = len(text) + 1
    assert len(found.labels) == count and found.written_LT.shape == (2, count)
    for t in range(count):
        within = range(max(0, t + 1 - receptive_field.reach(2, kernel)), t + 1)
        outside = [s for s in range(count) if s not in within]
        assert not found.effect_TT[t, outside].any()
        assert (found.effect_TT[t, [s for s in within if s]] > 0).all()  # the first is a line end
    # by hand: the fifth token becomes a line end
    p = np.asarray(model.trace(text).field("probability").values)
    other = model.trace(text[:4] + "\n" + text[5:]).field("probability").values
    by_hand = 0.5 * np.abs(p - np.asarray(other)).sum(-1)
    np.testing.assert_allclose(found.effect_TT[:, 5], by_hand, atol=1e-6)
    label, share = found.next_T[-1][0]
    assert share == pytest.approx(float(p[-1].max()), abs=1e-6)
    assert label == model.tokenizer.vocab[int(p[-1].argmax())]
    assert receptive_field.measure(model, "").effect_TT.shape == (1, 1)
