"""Lengths of products and the Jacobian of a layer, against the figures of the specification."""

from __future__ import annotations

import numpy as np
import pytest

from engine.analysis import two_matrices


def test_lengths_as_specified() -> None:
    one = two_matrices.lengths(np.diag([2.0, 0.0]), np.diag([0.0, 2.0]))
    assert (one.product, one.above, one.below) == (0, 4, 0)
    p, q = np.array([[1.5, 0.2], [0.1, 1.6]]), np.array([[1.7, -0.3], [0.2, 1.4]])
    found = two_matrices.lengths(p, q)
    assert found.below == pytest.approx(1.966367, abs=1e-6)
    assert found.product == pytest.approx(2.670976, abs=1e-6)
    assert found.above == pytest.approx(2.953263, abs=1e-6)
    rotated = two_matrices.lengths(
        np.diag([3, 0.1]), np.array([[0.0, -1], [1, 0]]) @ np.diag([3, 0.1])
    )
    assert rotated.product == pytest.approx(0.3) and rotated.above == pytest.approx(9)
    # foundations T5: the smallest singular value of P, Q and P Q; a matrix whose square is 0
    smallest = [two_matrices.lengths(m, np.eye(2)).below for m in (p, q, p @ q)]
    assert smallest == pytest.approx([1.392692, 1.411918, 2.174186], abs=1e-6)
    assert smallest[2] > found.below
    shift = np.array([[0.0, 10.0], [0.0, 0.0]])
    none = two_matrices.lengths(shift, shift)
    assert (none.product, none.above, none.below) == (0, 100, 0)


def test_the_jacobian_of_a_layer_as_specified() -> None:
    found = two_matrices.jacobian(
        np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([-0.5, 0.2]), np.array([0.3, -0.1])
    )
    right = np.array([[0.240261, 0.480521], [0.665139, 0.886851]])
    assert found["DW"] == pytest.approx(right, abs=1e-6)
    assert found["differences"] == pytest.approx(right, abs=1e-6)
    assert found["WD"] == pytest.approx(
        np.array([[0.240261, 0.443426], [0.720782, 0.886851]]), abs=1e-6
    )
    back = found["DW"].T @ np.array([1.0, -1.0])
    assert back == pytest.approx([-0.424878, -0.406330], abs=1e-6)
    # W D is not what the gradient goes back with, either
    wrong = found["WD"] @ np.array([1.0, -1.0])
    assert wrong == pytest.approx([-0.203165, -0.166069], abs=1e-6)


def test_a_layer_that_is_not_square_as_specified() -> None:
    """foundations T6: W is 2 x 3, and W D has no meaning; a third unit of weights 0 makes it one of 3 x 3."""
    w, b, h = np.array([[1.0, 2, -1], [0, 1, 3]]), np.zeros(3), np.array([0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="mismatch"):
        two_matrices.jacobian(w, b[:2], h)
    found = two_matrices.jacobian(np.vstack([w, np.zeros(3)]), b, h)["DW"][:2]
    want = np.array([[0.247517, 0.495033, -0.247517], [0, 0.187370, 0.562110]])
    assert found == pytest.approx(want, abs=1e-6)


def test_an_image_of_the_circle_reaches_as_far_as_the_largest_singular_value() -> None:
    a = np.array([[0.9, 5], [0, 0.9]])
    x, y = two_matrices.image(a, 20_001)
    assert np.hypot(x, y).max() == pytest.approx(np.linalg.norm(a, 2), rel=1e-6)


def test_layer_on_layer_by_differences_and_below_its_bound() -> None:
    draw = np.random.default_rng(4)
    w, b, x = 2 * draw.normal(size=(2, 2)), draw.normal(size=2), draw.normal(size=2)
    found = two_matrices.deep(w, b, x, 6)

    def behind(at: np.ndarray, layers: int) -> np.ndarray:
        for _ in range(layers):
            at = 1 / (1 + np.exp(-(w @ at + b)))
        return at

    for k in range(1, 7):
        np.testing.assert_allclose(found.h_KH[k - 1], behind(x, k), rtol=1e-12)
        columns = [(behind(x + d, k) - behind(x - d, k)) / 2e-5 for d in 1e-5 * np.eye(2)]
        product = found.product_KHH[k - 1]
        np.testing.assert_allclose(product, np.stack(columns, 1), rtol=1e-6, atol=1e-9)
        largest, smallest = found.singular_KH[k - 1]
        assert largest * smallest == pytest.approx(abs(np.linalg.det(product)))
        assert smallest <= largest <= found.bound_K[k - 1]
