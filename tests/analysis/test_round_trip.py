"""A row of weights through number formats: the levels of NF4 as printed and by another way, the rest by hand."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from engine.lessons.batches import round_trip
from engine.storage import quantised

# Dettmers et al., QLoRA, 2023, appendix E
PRINTED = """-1.0 -0.6961928009986877 -0.5250730514526367 -0.39491748809814453 -0.28444138169288635
-0.18477343022823334 -0.09105003625154495 0.0 0.07958029955625534 0.16093020141124725 0.24611230194568634
0.33791524171829224 0.44070982933044434 0.5626170039176941 0.7229568362236023 1.0"""
ROW = np.array([0.5, -1.27, 0.004, 0.1, -0.02, 0.633, 1.0, -0.3], np.float32)


def test_the_levels_of_nf4_are_those_of_the_paper() -> None:
    np.testing.assert_allclose(
        round_trip.levels(), np.array(PRINTED.split(), float), rtol=0, atol=3e-7
    )
    d = (
        1 / 30 + 1 / 32
    ) / 2  # by the inverse of the error function, not by the quantiles of the standard library

    def normal(p: torch.Tensor) -> np.ndarray:
        return np.asarray(2**0.5 * torch.erfinv(2 * p - 1))

    low = normal(torch.linspace(d, 0.5, 8, dtype=torch.float64))
    high = normal(torch.linspace(0.5, 1 - d, 9, dtype=torch.float64))
    np.testing.assert_allclose(
        round_trip.levels(), np.r_[low[:-1], high] / high[-1], rtol=0, atol=1e-12
    )


def test_absmax_by_hand() -> None:
    found = round_trip.trip(ROW, "int8")
    assert found.scale == pytest.approx(0.01)
    assert found.code_N.tolist() == [50, -127, 0, 10, -2, 63, 100, -30]
    np.testing.assert_allclose(found.back_N, 0.01 * found.code_N, rtol=1e-6)
    assert np.abs(found.back_N - ROW).max() <= found.scale / 2 + 1e-7
    row = np.arange(32, dtype=np.float32)[None]  # as the file of a run has it
    np.testing.assert_array_equal(
        round_trip.trip(row[0], "int4").back_N,
        quantised.unpack(quantised.pack({"w": row}, "int4"))["w"][0],
    )


def test_nf4_is_the_nearest_of_sixteen_by_trying_all() -> None:
    row = np.random.default_rng(0).normal(0, 0.3, 64).astype(np.float32)
    found, levels = round_trip.trip(row, "NF4"), [float(x) for x in PRINTED.split()]
    top = max(abs(float(x)) for x in row)
    best = [min(levels, key=lambda q, w=float(x): abs(w - q * top)) * top for x in row]
    np.testing.assert_allclose(found.back_N, best, atol=1e-6)
    assert found.scale == pytest.approx(top) and len(round_trip.stairs(found, "NF4")) == 16
    assert not round_trip.trip(np.zeros(4, np.float32), "NF4").back_N.any()


def test_half_precision_is_numpys() -> None:
    found = round_trip.trip(ROW, "float16")
    assert found.back_N.tolist() == ROW.astype(np.float16).astype(np.float32).tolist()
    assert not found.scale and not len(round_trip.stairs(found, "float16"))
