"""The chain rule of two maps, by the vectors of the specification and by central differences; the factor of a layer;
and descent over weight and bias."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from engine.analysis import one_unit, two_maps, two_matrices

X, STEP = np.array([1.0, 2.0]), np.array([0.01, -0.02])


def test_the_example_of_the_specification() -> None:
    found = two_maps.chained(X, STEP)
    assert two_maps.inner(X) == pytest.approx([1, 2, 0.909297], abs=1e-6)
    assert found.g == pytest.approx(np.array([[2, 0], [2, 1], [0, -0.416147]]), abs=1e-6)
    assert found.f == pytest.approx(np.array([[1, 1, 0], [0, 0.909297, 2]]), abs=1e-6)
    assert found.whole == pytest.approx(np.array([[4, 1], [1.818595, 0.077004]]), abs=1e-6)
    assert found.linear == pytest.approx([3.02, 1.835241], abs=1e-6)
    assert found.true == pytest.approx([3.0199, 1.834692], abs=1e-6)
    assert found.parts.sum(-1) == pytest.approx(found.whole)
    ten = two_maps.chained(X, STEP / 10)
    errors = [np.linalg.norm(one.true - one.linear) for one in (found, ten)]
    assert errors[0] / errors[1] == pytest.approx(100, rel=0.02)


def test_the_jacobian_by_central_differences() -> None:
    x, by = np.array([-0.7, 1.3]), 1e-6
    columns = [
        (two_maps.outer(two_maps.inner(x + by * e)) - two_maps.outer(two_maps.inner(x - by * e)))
        / (2 * by)
        for e in np.eye(2)
    ]
    assert two_maps.chained(x, STEP).whole == pytest.approx(np.array(columns).T, rel=1e-8)


def test_the_slope_is_a_quarter_and_the_factor_is_not() -> None:
    found = one_unit.factor(np.array([1.0, 4.0, 8.0]), np.array([0.0, 4.0]))
    assert found[:, 0] == pytest.approx([0.25, 1, 2])
    assert found[0, 0] ** 10 == pytest.approx(9.5367e-7, rel=1e-4)
    assert (found[:, 1] < found[:, 0]).all()


def test_descent_over_weight_and_bias() -> None:
    w, b, start, by = 5.5, -2.4, 0.3, 1e-6
    height, by_w, by_b = one_unit.slopes(w, b, start)
    assert height == pytest.approx(one_unit.loss(w, b, start))
    assert by_w == pytest.approx(
        (one_unit.loss(w + by, b, start) - one_unit.loss(w - by, b, start)) / (2 * by), rel=1e-6
    )
    assert by_b == pytest.approx(one_unit.slope(w, b, start))
    # what the page begins with: one step throws the ball far off, clipped it comes to the valley
    free = one_unit.descend_both(6.0, -2.8, 0.4, 10.0, 0.0)
    held = one_unit.descend_both(6.0, -2.8, 0.4, 10.0, 0.1)
    steps = [np.hypot(np.diff(w_N), np.diff(b_N)) for w_N, b_N, _ in (free, held)]
    assert steps[0].max() > 5 and steps[1].max() <= 1 + 1e-9
    assert free[2][-1] > 0.02 > 0.001 > held[2][-1]
    assert len(one_unit.descend_both(6.0, -2.8, 0.4, 1e4, 0.0, 30, ((-2, 12), (-12, 6)))[0]) < 31


def test_a_square_behind_a_layer() -> None:
    """Against torch; the parallelogram by its area, and by how its distance falls with the side."""
    w_HH, b_H, x_H = np.array([[1.0, 2], [3, 4]]), np.array([-0.5, 0.2]), np.array([0.3, -0.1])
    found = two_matrices.square(w_HH, b_H, x_H, 2)
    assert found.before[0] == pytest.approx(x_H - 1) and found.before[-1] == pytest.approx(x_H - 1)
    assert np.ptp(found.before, 0) == pytest.approx([2, 2])
    for p, made in ((found.grid[0], found.grid[1]), (found.before, found.after)):
        want = torch.sigmoid(torch.from_numpy(p) @ torch.from_numpy(w_HH).T + torch.from_numpy(b_H))
        assert made == pytest.approx(want.numpy())
    # D W of the specification (foundations T6): its determinant is the area of a square of side 1
    j_HH = np.array([[0.240261, 0.480521], [0.665139, 0.886851]])
    x, y = two_matrices.square(w_HH, b_H, x_H, 1).linear.T
    area = abs(float((x[:-1] * y[1:] - x[1:] * y[:-1]).sum()) / 2)
    assert area == pytest.approx(abs(np.linalg.det(j_HH)), rel=1e-5)
    near, far = (two_matrices.square(w_HH, b_H, x_H, side).off for side in (0.01, 0.1))
    assert far / near == pytest.approx(100, rel=0.1)


def test_a_residual_connection_adds_one() -> None:
    """foundations T10: twenty blocks, and the Jacobians of its two maps by autograd."""
    for factor, want in ((0.1, 6.727500), (-1, 0), (-0.5, 9.536743e-7)):
        assert one_unit.through(factor, 20, residual=True)[-1] == pytest.approx(want, rel=1e-6)
    assert one_unit.through(0.1, 20)[-1] == pytest.approx(1e-20)
    assert one_unit.through(-2, 3).tolist() == [1, 2, 4, 8]

    def tensor(*rows: list[float]) -> torch.Tensor:
        return torch.tensor(rows, dtype=torch.float64)

    a, w1 = tensor([0.1, 0.2], [0, -0.1]), tensor([1, -1], [0.5, 2])
    w2 = tensor([0.2, -0.1], [0.3, 0.4])
    cases: tuple[tuple[Any, list[float], list[float], list[list[float]]], ...] = (
        (lambda x: a @ x, [1.0, 2.0], [1.5, 1.8], [[1.1, 0.2], [0, 0.9]]),
        (lambda x: w2 @ (w1 @ x).relu(), [1.0, 0.5], [0.95, 1.25], [[1.15, -0.4], [0.5, 1.5]]),
    )
    for block, at, want_y, want_J in cases:
        x = torch.tensor(at, dtype=torch.float64)
        with torch.inference_mode(False), torch.enable_grad():
            own: Any = torch.autograd.functional.jacobian(block, x.clone())
        assert (x + block(x)).tolist() == pytest.approx(want_y)
        assert (own + torch.eye(2)).numpy() == pytest.approx(np.array(want_J))
