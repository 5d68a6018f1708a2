"""Ends of scales: 1, 2 and 5 times the powers of ten."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core.round_numbers import LEAST, reach, round_up
from tests.conftest import together


@together(
    ("most", "end"),
    [(1, 1), (1.2, 2), (2.1, 5), (5.5, 10), (10, 10), (0.03, 0.05), (350, 500), (0, LEAST)],
)
def test_the_next_round_number(most: float, end: float) -> None:
    assert round_up(most) == pytest.approx(end)


def test_a_thousandth_above_is_within() -> None:
    assert round_up(2.001) == 2 and round_up(2.01) == 5


def test_reach_looks_at_both_sides_and_leaves_out_what_is_not_finite() -> None:
    """The numbers 1 to 100 below 0: 95 % of them keep within 95.05."""
    values = np.array([*range(-100, 0), np.inf, np.nan])
    assert reach(values, 0.95) == 100 and reach(values, 0.3) == 50
    assert reach(np.array([np.nan]), 0.95) == 1
