"""Which numbers share a mean, against torch and the vectors of the specification."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from engine.lessons.cures import normalised

X = np.random.default_rng(3).normal(size=(4, 5, 6))


def test_axes_as_torch() -> None:
    x = torch.from_numpy(X)
    layer = nn.functional.layer_norm(x, (6,)).numpy()
    steps = torch.stack(
        [nn.functional.batch_norm(a, None, None, training=True) for a in x.unbind(1)], 1
    )
    both = nn.functional.batch_norm(x.transpose(1, 2), None, None, training=True).transpose(1, 2)
    for over, want in (("layer", layer), ("batch", steps.numpy()), ("batch_time", both.numpy())):
        found = normalised.normalise(X, over)
        assert found.y_BTH == pytest.approx(want), over
        groups = {"layer": 20, "batch": 30, "batch_time": 6}[over]
        assert len(np.unique(found.group_BTH)) == groups
        for group in range(groups):
            cells = X[found.group_BTH == group]
            assert found.mean_BTH[found.group_BTH == group] == pytest.approx(cells.mean())
            assert found.deviation_BTH[found.group_BTH == group] == pytest.approx(cells.std())


def test_vectors() -> None:
    def row(*x: float) -> np.ndarray:
        return np.array(x)[None, None]

    # rnn E15
    assert normalised.normalise(row(1.1, 1.7), "layer").y_BTH[0, 0] == pytest.approx(
        (-0.99994, 0.99994), abs=1e-5
    )
    # transformers T33: [1, 2, 3, 4] + [.5, -.5, .5, -.5]
    assert normalised.normalise(row(1.5, 1.5, 3.5, 3.5), "layer").y_BTH[0, 0] == pytest.approx(
        (-1, -1, 1, 1), abs=1e-4
    )
    # foundations T45: gain and shift of 10 saturate a sigmoid again
    y = normalised.normalise(np.array([1.0, 2, 3, 4])[:, None, None], "batch", 10, 10).y_BTH.ravel()
    assert y == pytest.approx((-3.416350, 5.527880, 14.472120, 23.416350), abs=1e-4)
    slope = 1 / (1 + np.exp(-y)) * (1 - 1 / (1 + np.exp(-y)))
    assert slope == pytest.approx((0.030778, 0.003943, 0.000001, 0), abs=1e-6)


def test_two_features_and_the_way_back_as_specified() -> None:
    """foundations T9: each feature by itself; dx by central differences, upstream [1, 0, 0, 2]."""
    two = np.array([[1.0, 10], [2, 20], [3, 30]])[:, None]
    want = np.array([[-1.224736, 0, 1.224736], [-1.224745, 0, 1.224745]]).T
    assert normalised.normalise(two, "batch").y_BTH[:, 0] == pytest.approx(want, abs=1e-6)
    x, up, by = np.array([1.0, 2, 3, 4]), np.array([1.0, 0, 0, 2]), 1e-5

    def loss(x: np.ndarray) -> float:
        return float(up @ normalised.normalise(x[:, None, None], "batch").y_BTH[:, 0, 0])

    dx = np.array([(loss(x + by * e) - loss(x - by * e)) / (2 * by) for e in np.eye(4)])
    assert dx == pytest.approx([0.626093, -0.536655, -0.804980, 0.715542], abs=1e-6)
    assert dx.sum() == pytest.approx(0, abs=1e-8) and dx @ (x - 2.5) == pytest.approx(0, abs=1e-4)


def test_other_texts_change_a_batch_norm_and_no_layer_norm() -> None:
    other = X.copy()
    other[1:] += 3
    for over, same in (("layer", True), ("batch", False), ("batch_time", False)):
        a, b = (normalised.normalise(x, over).y_BTH[0] for x in (X, other))
        assert np.allclose(a, b) is same
    assert normalised.normalise(X[:1], "batch", 2, 7).y_BTH == pytest.approx(7)  # a batch of one
