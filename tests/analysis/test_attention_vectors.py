"""Test vectors of the specification on attention (foundations T22b, T24, T26, T37) through this
project's own parts."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from engine.analysis.positions import encodings
from engine.analysis.qkv.saturation import of_scores
from engine.nn import mask
from engine.nn.norm import norm


def test_what_each_divisor_does_to_random_scores() -> None:
    """T22b: d = 64, 10 keys; undivided, by 8, and by 64 as the notes print."""
    draw = np.random.default_rng(0)
    q, k = draw.standard_normal((4000, 64)), draw.standard_normal((4000, 10, 64))
    score = np.einsum("qd,qmd->qm", q, k)
    want = {1: (0.870, 0.337, 0.155), 8: (0.317, 1.939, 0.346), 64: (0.120, 2.296, 0.301)}
    assert score.var() == pytest.approx(64.59, rel=0.03)
    for divisor, (largest, entropy, jacobian) in want.items():
        found = of_scores(score / divisor)
        assert found.largest == pytest.approx(largest, abs=0.015)
        assert found.entropy * np.log(10) == pytest.approx(entropy, abs=0.03)
        assert found.slope == pytest.approx(jacobian, abs=0.01)


def test_tied_queries_and_keys_do_not_look_at_themselves_most() -> None:
    """T24: token 0 attends most to the longer token 1."""
    x = torch.tensor([[1.0, 0], [2, 0], [0, 1]])
    weight = mask.soften(x @ x.T / 2**0.5)
    want = [
        [0.283995, 0.575975, 0.140029],
        [0.186694, 0.767918, 0.045388],
        [0.248255, 0.248255, 0.503490],
    ]
    np.testing.assert_allclose(weight, want, atol=1e-6)
    unit = x / x.norm(dim=1, keepdim=True)
    np.testing.assert_allclose(
        mask.soften(unit @ unit.T / 2**0.5)[:2], [[0.401112, 0.401112, 0.197776]] * 2, atol=1e-6
    )


def test_one_step_of_learning_queries_keys_and_values() -> None:
    """T24: gradients of all three matrices and the loss after a step; with W_K = 0 that of W_Q is 0."""
    x = torch.tensor([[1.0, 0], [0, 1], [1, 1]])
    target = torch.tensor([[1.0, 1], [0, 1], [1, 0]])

    def loss(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        weight = mask.soften((x @ q) @ (x @ k).T / 2**0.5)
        return ((weight @ (x @ v) - target) ** 2).mean()

    parts = [torch.eye(2, requires_grad=True) for _ in range(3)]
    found = loss(*parts)
    assert found.item() == pytest.approx(0.204090, abs=1e-6)
    gq, gk, gv = torch.autograd.grad(found, parts)
    np.testing.assert_allclose(gq, [[-0.021736, 0.017661], [0.015767, 0.018080]], atol=1e-6)
    np.testing.assert_allclose(gk, gq.T, atol=1e-6)
    np.testing.assert_allclose(gv, [[0.004461, 0.041631], [0.058457, 0.055413]], atol=1e-6)
    with torch.no_grad():
        after = loss(*(p - 0.5 * g for p, g in zip(parts, (gq, gk, gv), strict=True)))
    assert after.item() == pytest.approx(0.199566, abs=1e-6)
    nothing = [torch.eye(2), torch.zeros(2, 2), torch.eye(2)]
    for p in nothing:
        p.requires_grad_()
    gq, gk, _ = torch.autograd.grad(loss(*nothing), nothing)
    assert not gq.any()
    np.testing.assert_allclose(gk, [[-0.043649, 0.008730], [0.034919, 0.008730]], atol=1e-6)


def test_residual_and_layer_norm() -> None:
    """T26, and the notes' ReLU before the sum."""
    x = torch.tensor([[1.0, 2, 3, 4], [2, 0, -2, 0]])
    out = torch.tensor([[0.5, -0.5, 1, -1], [1, -1, 1, -1]])
    part = norm("layer", 4, 1e-5)
    want = [[-0.942805, -0.942805, 1.414207, 0.471402], [1.732048, -0.577349, -0.577349, -0.577349]]
    clipped = [
        [-1.207402, -0.768347, 0.987875, 0.987875],
        [1.666663, -0.333333, -0.999998, -0.333333],
    ]
    with torch.no_grad():
        np.testing.assert_allclose(part(x + out), want, atol=2e-6)
        np.testing.assert_allclose(part(x + out.relu()), clipped, atol=2e-6)


def test_positions_that_nearly_collide() -> None:
    """T37: d = 2 repeats to 6e-5 after 710 places, and in float16 places 5 and 715 are one."""
    wave = encodings.waves(1000, 2)
    assert np.linalg.norm(wave[0] - wave[710]) == pytest.approx(6.0289e-5, rel=1e-2)
    half = wave.astype(np.float16)
    assert (half[5] == half[715]).all() and not (half[0] == half[710]).all()
    wide = encodings.waves(110, 8)
    np.testing.assert_allclose(
        wide[10],
        [-0.544021, -0.839072, 0.841471, 0.540302, 0.099833, 0.995004, 0.01, 0.99995],
        atol=1e-6,
    )
    for place in (3, 100):
        assert wide[place] @ wide[place + 5] == pytest.approx(3.159983, abs=1e-5)
    assert (encodings.waves(2, 512)[1] ** 2).sum() == pytest.approx(256, abs=1e-4)
