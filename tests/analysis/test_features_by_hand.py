"""Features by hand: the vector of the specification, numpy's own transform, pandas."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from engine.analysis import features_by_hand as by_hand

X = np.array([1.0, 2.0, 4.0, 7.0])


def test_the_series_of_the_specification() -> None:
    assert by_hand.difference(X)[1:].tolist() == [1, 2, 3] and np.isnan(by_hand.difference(X)[0])
    assert by_hand.rolling_mean(X, 2)[1:].tolist() == [1.5, 3, 5.5]
    assert by_hand.lag(X, 1)[1:].tolist() == [1, 2, 4] and by_hand.lag(X, 3)[3:].tolist() == [1]
    # 14; (1 - 4) + (7 - 2) i; 1 - 2 + 4 - 7
    np.testing.assert_allclose(by_hand.fourier(X), [14, -3 + 5j, -4], atol=1e-12)


@pytest.mark.parametrize("n", [0, 1, 2, 7, 24])
def test_against_libraries(n: int) -> None:
    x = np.random.default_rng(n).normal(size=n)
    series = pd.Series(x, dtype=float)
    np.testing.assert_allclose(by_hand.difference(x), series.diff())
    for k in (1, 2, 5):
        np.testing.assert_allclose(by_hand.rolling_mean(x, k), series.rolling(k).mean())
        np.testing.assert_allclose(by_hand.lag(x, k), series.shift(k))
    if n:
        np.testing.assert_allclose(by_hand.fourier(x), np.fft.rfft(x), atol=1e-12)


def test_a_wave_is_one_coefficient() -> None:
    x = 2 + 3 * np.cos(2 * np.pi * 4 * np.arange(24) / 24)
    size = np.abs(by_hand.fourier(x))
    assert size[0] == pytest.approx(48) and size[4] == pytest.approx(36)
    assert np.delete(size, [0, 4]).max() < 1e-10


def test_what_is_typed() -> None:
    assert by_hand.read("1, 2; −4.5  x7e 1000000000").tolist() == [1, 2, -4.5, 7, by_hand.LARGEST]
    assert by_hand.read("").shape == (0,) and len(by_hand.read("1 " * 500)) == by_hand.MOST
