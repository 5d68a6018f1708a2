"""Softmax and its losses against torch and sums by hand; what becomes of them in few bits."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import torch
from torch.nn import functional

from engine.analysis.activations import FORMATS, sigmoid
from engine.analysis.decode.temperature import temperature
from engine.lessons.softmax import parts, softmax_loss
from engine.lessons.softmax.softmax_loss import LOSSES, Logits
from tests.conftest import shipped, together

STARTS = (Logits((2, 1, 0.1, -1), 0), Logits((-6, 6, 0, 0), 0, 2.0), Logits((1.3, 0.2), 1, 0.5))


def test_known_values() -> None:
    """Specification, T16, T25 and T52."""
    for t, want in (
        (1.0, [0.638066, 0.234731, 0.095435, 0.031767]),
        (0.5, [0.861932, 0.116650, 0.019282, 0.002137]),
        (2.0, [0.451182, 0.273656, 0.174490, 0.100672]),
    ):
        np.testing.assert_allclose(Logits((2, 1, 0.1, -1), 0, t).p, want, atol=6e-7)
    gradient = Logits((2, 1, 0.1), 0).gradient("entropy")
    np.testing.assert_allclose(gradient, [-0.340999, 0.242433, 0.098566], atol=6e-7)
    assert Logits((1.3, 0.2), 0).p[0] == pytest.approx(0.750260, abs=6e-7)
    np.testing.assert_allclose(Logits((-1, -2, -3), 0).p, [0.665241, 0.244728, 0.090031], atol=6e-7)
    np.testing.assert_allclose(Logits((1, 2, 3), 0).p, [0.0900, 0.2447, 0.6652], atol=6e-5)  # T20
    np.testing.assert_allclose(Logits((0, -10), 0).p, [0.999955, 0.000045], atol=6e-7)
    gap = np.log(0.85 / 0.15)
    assert gap == pytest.approx(1.734601, abs=6e-7)
    assert Logits((gap, 0.0), 0).p[0] == pytest.approx(0.85) == sigmoid(np.array(gap))


@together(("kind", "one"), product(LOSSES, STARTS))
def test_torch_finds_the_same(kind: str, one: Logits) -> None:
    z = torch.tensor(one.z, dtype=torch.float64, requires_grad=True)
    if kind == "entropy":
        loss = functional.cross_entropy(z[None] / one.t, torch.tensor([one.target]))
    else:
        loss = 0.5 * ((z / one.t).softmax(0) - torch.tensor(one.wanted)).square().sum()
    (slope,) = torch.autograd.grad(loss, z)
    assert one.loss(kind) == pytest.approx(float(loss.detach()))
    np.testing.assert_allclose(one.gradient(kind), slope, atol=1e-12)
    assert one.gradient(kind).sum() == pytest.approx(0, abs=1e-12)
    assert one.learned(kind, 20).loss(kind) <= one.loss(kind)


def test_squared_error_hardly_learns_from_a_confident_mistake() -> None:
    wrong = Logits((-6, 6, 0, 0), 0)
    assert softmax_loss.steps_until(wrong, "entropy", 0.9, 100) == 14
    assert softmax_loss.steps_until(wrong, "squared", 0.9, 2_000) is None
    near = Logits((2, 1, 0.1, -1), 0)
    assert softmax_loss.steps_until(near, "entropy", 0.9, 100) == 6
    assert softmax_loss.steps_until(near, "squared", 0.9, 100) == 31


def test_overflow() -> None:
    """Specification, foundations T25, Transformers T20: without the maximum subtracted nothing comes out;
    the loss by the logarithm of the sum is that of torch."""
    z = np.array([1000.0, 1001, 1002])
    for kind in FORMATS.values():
        assert np.isnan(softmax_loss.rounded(z, kind, False)).any()
    want = [0.090031, 0.244728, 0.665241]
    np.testing.assert_allclose(softmax_loss.rounded(z, np.float64, True), want, atol=6e-7)
    np.testing.assert_allclose(softmax_loss.rounded(z, np.float16, True), want, atol=1e-3)
    z = np.array([0.0, -120.0])
    assert softmax_loss.rounded_loss(z, 1, np.float32, False) == np.inf
    peer = functional.cross_entropy(torch.tensor(z[None], dtype=torch.float32), torch.tensor([1]))
    found = softmax_loss.rounded_loss(z, 1, np.float32, True)
    assert found == pytest.approx(float(peer)) == 120
    p = np.array([0.5, 0.3, 0.15, 0.05, 0.0])
    assert softmax_loss.below(p, 0.2) == (3, pytest.approx(0.2))
    assert softmax_loss.choices(np.full(8, 1 / 8)) == pytest.approx(8)
    assert softmax_loss.choices(np.array([1.0, 0])) == 1


@together("kind", FORMATS.values())
def test_the_ends_of_a_format(kind: type[np.floating]) -> None:
    low, high = softmax_loss.ends(kind)
    with np.errstate(all="ignore"):
        assert np.exp(kind(low)) > 0 and np.isfinite(np.exp(kind(high)))
        assert np.exp(kind(low - 1)) == 0 and np.isinf(np.exp(kind(high + 1)))
    assert high == pytest.approx(float(np.log(np.finfo(kind).max)), rel=2e-3)


def test_what_is_read_of_an_address() -> None:
    first = parts.read("", 0, 1.0)
    assert first.z == (2, 1, 0.1, -1) and parts.read("99,-99", 9, 0.1) == Logits((10, -10), 1, 0.1)
    for odd in ("x", "1", "1,nan", "1,2,3,4,5,6,7", "1,,2"):
        assert parts.read(odd, 0, 1.0) == first


def test_the_parts_say_what_is_computed() -> None:
    """The erratum: scores of 2 and 1 do not get weights as 2 to 1, but as e to 1."""
    words = " ".join(map(str, parts.softmax.blocks()))
    assert (
        "Classes 1 and 2 have the logits 2 and 1. Their probabilities stand as 2.72 to 1" in words
    )
    words = " ".join(map(str, parts.softmax.blocks(s_z="-6,6,0,0")))
    assert "**Confidently wrong**" in words and "**14** with" in words
    rows = parts.overflow.blocks()[1].rows
    assert rows[1]["as it is written"] == "?, ?, ?, ?" and rows[1]["−ln p"] == "∞"
    assert rows[1]["maximum subtracted"].startswith("0.638, 0.235")
    table = parts.tokens.blocks(transformer=shipped("transformer"))[1].rows
    trace = shipped("transformer").trace("The students opened their", fields=("probability",))
    p = np.asarray(trace.field("probability").values[-1], float)
    np.testing.assert_allclose([row["T = 1"] for row in table], np.sort(p)[::-1][:8])
    assert table[0]["at this temperature"] == temperature(p, 0.5).max()
