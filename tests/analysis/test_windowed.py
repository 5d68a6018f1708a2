"""A feed-forward language model by the places of its window: by hand, and against the net itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.analysis import windowed
from engine.core.registry import models
from engine.models.feedforward import Config, FeedForward
from tests.conftest import LINES, TEXT, small


def net(**more: object) -> FeedForward:
    kind = models.get("feedforward")
    *_, last = kind.fit(TEXT, small(kind, window=3, **more), seed=2)
    assert isinstance(last.model, FeedForward)
    return last.model


def test_what_the_places_add_is_the_sum_of_the_hidden_layer() -> None:
    model = net()
    trace, weights = model.trace(LINES[3]), model.weights()
    window_TND = trace.field("window").values
    block_NHD = windowed.blocks(model)
    added_TNH = np.array([[b @ x for b, x in zip(block_NHD, xs, strict=True)] for xs in window_TND])
    h_TH = np.tanh(added_TNH.sum(1) + weights["hidden.bias"])
    np.testing.assert_allclose(h_TH, trace.field("hidden").values[0], atol=1e-5)
    lengths = [[sum(v * v for v in vector) ** 0.5 for vector in place] for place in added_TNH]
    np.testing.assert_allclose(windowed.pushes(block_NHD, window_TND), lengths, rtol=1e-5)
    assert (windowed.pushes(block_NHD, window_TND)[0, :2] == 0).all(), "nothing before the text"


def test_a_word_in_two_places() -> None:
    model = net()
    id = int(model.tokenizer.encode("cat").ids[0])
    found = windowed.alike(model, id)
    first, second = (b @ model.weights()["embed.weight"][id] for b in windowed.blocks(model)[:2])
    cosine = first @ second / (first @ first * (second @ second)) ** 0.5
    assert found[0, 1] == pytest.approx(cosine, abs=1e-5) and found[1, 0] == found[0, 1]
    np.testing.assert_allclose(np.diag(found), 1, atol=1e-6)


def test_without_direct_connections_is_the_net_with_zeros_for_them() -> None:
    model = net(direct=True)
    weights = model.weights()
    hidden = model.trace(LINES[0]).field("hidden").values[0]
    found = windowed.read_out(weights["head.weight"], weights["head.bias"], hidden)
    off = FeedForward.from_weights(
        model.config, {**weights, "direct.weight": np.zeros_like(weights["direct.weight"])}
    )
    want = off.trace(LINES[0]).field("probability").values
    np.testing.assert_allclose(found, want, atol=1e-6)
    assert np.abs(model.trace(LINES[0]).field("probability").values - want).max() > 1e-3


@pytest.mark.parametrize("direct", [False, True])
def test_sizes_are_those_of_the_net(direct: bool) -> None:
    model = net(direct=direct)
    learned = sum(x.size for x in model.weights().values() if x.dtype.kind == "f")
    found = windowed.size(model.config, len(model.tokenizer.vocab), model.config.window)
    assert found.total == learned


def test_sizes_by_hand() -> None:
    """256 units over vectors of 100 numbers: 6, 21 and 51 words; and 10,000 words of 60 numbers, 4 in
    the window, 50 units."""
    config = Config(width=100, units=256)
    assert [windowed.size(config, 1, n).hidden for n in (6, 21, 51)] == [
        153_856,
        537_856,
        1_305_856,
    ]
    found = windowed.size(replace(config, width=60, units=50), 10_000, 4)
    assert (found.vectors, found.hidden, found.output, found.direct) == (
        600_000,
        12_050,
        510_000,
        0,
    )
