"""Circles by area: counted on a fine grid."""

from __future__ import annotations

import numpy as np
import pytest

from engine.views.venn import circles


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [(6, 6, 1), (400, 30, 12), (5, 9, 5), (7, 7, 7), (3, 8, 0), (0, 4, 0), (1, 100, 1)],
)
def test_areas_are_the_sizes(first: float, second: float, both: float) -> None:
    r, s, d = circles(first, second, both)
    x, step = np.linspace(-r - s - 1, d + r + s + 1, 3000, retstep=True)
    y = np.arange(-max(r, s) - step, max(r, s) + step, step)[:, None]
    one, other = x**2 + y**2 <= r * r, (x - d) ** 2 + y**2 <= s * s
    areas = [float(inside.sum()) * step**2 for inside in (one, other, one & other)]
    np.testing.assert_allclose(areas, (first, second, both), rtol=0.02, atol=0.05)
