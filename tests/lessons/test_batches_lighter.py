"""A lighter model: what is pruned by hand, sizes by counting bytes, drift beside torch's own sums; and a row of
weights through number formats, the levels of NF4 as printed and by another way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from engine.analysis.measure import surprisal
from engine.lessons.batches import lighter, round_trip
from engine.storage import quantised

TEXT = "the cat sat on the mat and the dog sat on the cat"


def test_the_smallest_of_all_tables_are_left_out() -> None:
    given = {
        "a": np.array([[1, -5], [0.5, 3]], np.float32),
        "b": np.array([[-0.2, 4, 2, 9]], np.float32),
        "bias": np.array([0.1], np.float32),
    }
    found = lighter.pruned(given, 0.5)
    assert found["a"].tolist() == [[0, -5], [0, 3]] and found["b"].tolist() == [[0, 4, 0, 9]]
    assert found["bias"] is given["bias"] and lighter.pruned(given, 0.1)["a"] is given["a"]


def test_sizes_and_drift(trained: Any) -> None:
    model = trained("lstm")
    p_TV, next_T = lighter.answers(model, TEXT)
    whole = lighter.lighter(model, "float32")
    assert whole.size >= sum(p.numel() for p in model.net.parameters()) * 4
    same = lighter.drift(p_TV, lighter.answers(whole.model, TEXT)[0], next_T)
    assert same.apart == pytest.approx(0, abs=1e-9) and same.changed == 0
    trace = model.trace(TEXT, fields=("probability",))
    assert same.bits == pytest.approx(float(surprisal(trace)[1:].mean()), rel=1e-4)
    before = whole.size
    for numbers in lighter.NUMBERS[1:]:
        made = lighter.lighter(model, numbers)
        assert made.size < before
        before = made.size
    made = lighter.lighter(model, "int4", 0.5)
    assert made.zeros >= 0.5 and made.sparse < made.size and made.model is not model
    q_TV = lighter.answers(made.model, TEXT)[0]
    p, q = torch.from_numpy(p_TV), torch.from_numpy(q_TV)
    found = lighter.drift(p_TV, q_TV, next_T)
    assert found.apart == pytest.approx(
        F.kl_div(q.log(), p, reduction="batchmean").item() / np.log(2)
    )
    assert found.bits == pytest.approx(
        F.nll_loss(q.log(), torch.from_numpy(next_T)).item() / np.log(2)
    )
    assert found.changed == pytest.approx((p.argmax(-1) != q.argmax(-1)).double().mean().item())
    with pytest.raises(ValueError, match="few more words"):
        lighter.answers(model, "")


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


def test_absmax_by_hand_and_half_precision_as_numpy() -> None:
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
    found = round_trip.trip(ROW, "float16")
    assert found.back_N.tolist() == ROW.astype(np.float16).astype(np.float32).tolist()
    assert not found.scale and not len(round_trip.stairs(found, "float16"))


def test_nf4_is_the_nearest_of_sixteen_by_trying_all() -> None:
    row = np.random.default_rng(0).normal(0, 0.3, 64).astype(np.float32)
    found, levels = round_trip.trip(row, "NF4"), [float(x) for x in PRINTED.split()]
    top = max(abs(float(x)) for x in row)
    best = [min(levels, key=lambda q, w=float(x): abs(w - q * top)) * top for x in row]
    np.testing.assert_allclose(found.back_N, best, atol=1e-6)
    assert found.scale == pytest.approx(top) and len(round_trip.stairs(found, "NF4")) == 16
    assert not round_trip.trip(np.zeros(4, np.float32), "NF4").back_N.any()
