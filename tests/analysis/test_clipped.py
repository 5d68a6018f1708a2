"""Clipping of one gradient and of a stream, against the vectors of the specification."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.lessons.cures import clipped


def test_arrows_as_specified() -> None:
    assert clipped.arrow((9, 12), "norm", 5) == pytest.approx((3, 4), abs=1e-5)
    assert clipped.arrow((9, 12), "value", 5) == pytest.approx((5, 5))
    assert clipped.arrow((3, 4), "norm", 1) == pytest.approx(
        (0.6, 0.8), abs=1e-5
    )  # transformers T48
    by_value = clipped.arrow((0.5, 10), "value", 5)
    assert by_value == pytest.approx((0.5, 5))
    assert clipped.turned((0.5, 10), by_value) == pytest.approx(2.85, abs=0.005)
    assert clipped.turned((1, 0), (-2, 0)) == pytest.approx(180)
    assert clipped.turned((1, 1), (0, 0)) == 0
    for kind in ("norm", "value", "adaptive", "none"):
        assert clipped.arrow((0.3, -0.4), kind, 5).tolist() == [0.3, -0.4]  # never longer


@given(st.tuples(*(st.floats(-1e3, 1e3, allow_subnormal=False),) * 2), st.floats(0.01, 100))
def test_a_norm_never_turns_an_arrow(g: tuple[float, float], threshold: float) -> None:
    after = clipped.arrow(g, "norm", threshold)
    assert math.hypot(*after) <= threshold * (1 + 1e-9)
    if math.hypot(*g) > 1e-3:
        assert clipped.turned(g, after) < 1e-5
    assert np.abs(clipped.arrow(g, "value", threshold)).max() <= threshold
