"""Clipping of one gradient and of a stream, against the vectors of the specification."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis import cures
from engine.analysis.cures import Switches
from engine.lessons.cures import clipped
from engine.nn.clipping.adaptive import KEPT, Adaptive


def test_arrows_as_specified() -> None:
    assert clipped.arrow((9, 12), "norm", 5) == pytest.approx((3, 4), abs=1e-5)
    assert clipped.arrow((9, 12), "value", 5) == pytest.approx((5, 5))
    assert clipped.arrow((3, 4), "norm", 1) == pytest.approx(
        (0.6, 0.8), abs=1e-5
    )  # transformers T48
    by_value = clipped.arrow((0.5, 10), "value", 5)
    assert by_value == pytest.approx((0.5, 5))
    assert clipped.turned((0.5, 10), by_value) == pytest.approx(2.85, abs=0.005)
    for kind in ("norm", "value", "adaptive", "none"):
        assert clipped.arrow((0.3, -0.4), kind, 5).tolist() == [0.3, -0.4]  # never longer


@given(st.tuples(*(st.floats(-1e3, 1e3, allow_subnormal=False),) * 2), st.floats(0.01, 100))
def test_a_norm_never_turns_an_arrow(g: tuple[float, float], threshold: float) -> None:
    after = clipped.arrow(g, "norm", threshold)
    assert math.hypot(*after) <= threshold * (1 + 1e-9)
    if math.hypot(*g) > 1e-3:
        assert clipped.turned(g, after) < 1e-5
    assert np.abs(clipped.arrow(g, "value", threshold)).max() <= threshold


def test_a_huge_norm_as_specified() -> None:
    """lstm T10: 28683.44 is cut to 5.0."""
    g = (28683.44 * 0.28, 28683.44 * 0.96)
    after = clipped.arrow(g, "norm", 5)
    assert math.hypot(*g) == pytest.approx(28683.44)
    assert math.hypot(*after) == pytest.approx(5) and clipped.turned(g, after) < 1e-5


def test_angles() -> None:
    assert clipped.turned((1, 0), (0, 3)) == pytest.approx(90)
    assert clipped.turned((1, 0), (-2, 0)) == pytest.approx(180)
    assert clipped.turned((1, 1), (0, 0)) == 0


def test_a_stream_as_specified() -> None:
    held, after = clipped.stream((4, 6, 100, 5), 5, 0.9, "noted")
    assert held == pytest.approx((4.9, 5.01, 14.509, 13.5581))
    assert after == pytest.approx((4, 5.01, 14.509, 5))
    # .9 x 5 + .1 x 4 = 4.9; 6 enters as 4.9, so that the threshold stays, and 100 does too
    held, after = clipped.stream((4, 6, 100, 5), 5, 0.9, "past")
    assert held == pytest.approx((5, 4.9, 4.9, 4.9)) and after == pytest.approx((4, 4.9, 4.9, 4.9))


def test_twice_the_mean_is_what_trainings_do() -> None:
    norms = (4.0, 6.0, 100.0, 5.0, 0.1, 30.0)
    held, after = clipped.stream(norms, 5, KEPT, "twice")
    clipping = Adaptive(5.0)
    for norm, threshold, left in zip(norms, held, after, strict=True):
        assert float(clipping.threshold) == pytest.approx(threshold)
        parameter = torch.nn.Parameter(torch.zeros(1, dtype=torch.float64))
        parameter.grad = torch.tensor([norm], dtype=torch.float64)
        _, now = clipping([parameter])
        assert float(now) == pytest.approx(left)
        clipping.learn(float(now))


def test_a_net_is_clipped_as_one() -> None:
    found = cures.on_text(Switches(layers=3), "the keys")
    before = found.weights_L()
    left = clipped.layers(found.net.layers, "norm", 0.5)
    assert math.hypot(*left) == pytest.approx(0.5, rel=1e-5)
    assert left / before == pytest.approx(0.5 / math.hypot(*before), rel=1e-5)  # one factor for all
    assert found.weights_L() == pytest.approx(before)  # the net keeps its gradients
    assert clipped.layers(found.net.layers, "norm", 1e9) == pytest.approx(before)
