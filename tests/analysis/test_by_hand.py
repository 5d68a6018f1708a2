"""The worked example of backpropagation through time, against the figures of the specification and
central differences."""

from __future__ import annotations

import numpy as np
import pytest

from engine.lessons.bptt import by_hand
from engine.lessons.bptt.by_hand import Net


def test_forward_as_specified() -> None:
    ran = by_hand.forward(Net())
    assert ran.a_TH[0] == pytest.approx([1.1, 1.7])
    assert ran.h_TH[1] == pytest.approx([0.80049902, 0.93540907], abs=5e-9)
    assert ran.h_TH[2:] == pytest.approx(
        np.array([[0.69991390, 0.84364650], [0.84509034, 0.95575017]]), abs=5e-9
    )
    assert ran.y_T == pytest.approx([0.96795401, 0.87178020, 1.00042025], abs=5e-8)
    assert ran.loss_T[0] == pytest.approx(0.00102694, abs=5e-9)


def test_backward_as_specified() -> None:
    found = by_hand.backward(Net())
    assert found.dw_HH == pytest.approx(
        np.array([[-0.05226525, -0.06107054], [-0.02955518, -0.03453525]]), abs=1e-8
    )
    assert found.da_TH.T @ Net().x_TD == pytest.approx(  # of the input weights
        np.array([[-0.0177219, -0.06527574, -0.01784202], [-0.00606666, -0.03691637, -0.00610303]]),
        abs=1e-8,
    )
    assert found.da_TH.sum(0) == pytest.approx([-0.08311776, -0.0430194], abs=1e-8)


def test_backward_by_central_differences() -> None:
    rng = np.random.default_rng(1)
    for _ in range(5):
        net = Net(rng.normal(size=(2, 2)), rng.normal(size=(4, 3)))
        assert by_hand.backward(net).dw_HH == pytest.approx(by_hand.differences(net), abs=1e-7)


def test_the_chain_of_factors() -> None:
    """rnn B2: dh_2/dh_1 as specified; the chain against central differences of the last state."""
    net = Net()
    step_THH = by_hand.jacobians(net)
    want = np.array([[0.05101205, 0.10202411], [0.08647817, 0.02882606]])
    assert step_THH[1] == pytest.approx(want, abs=5e-9)
    first_H = by_hand.forward(net).h_TH[1]

    def last(h_H: np.ndarray) -> np.ndarray:
        for x_D in net.x_TD[1:]:
            h_H = np.tanh(net.w_HD @ x_D + net.w_HH @ h_H + net.bias)
        return h_H

    by = 1e-6 * np.eye(2)
    columns = [(last(first_H + d) - last(first_H - d)) / 2e-6 for d in by]
    assert by_hand.product(step_THH[1:]) == pytest.approx(np.array(columns).T, abs=1e-9)
