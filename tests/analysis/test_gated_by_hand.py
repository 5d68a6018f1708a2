"""One neuron of three inputs, gates and a memory, against the specification, torch and a geometric sum."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from engine.analysis import gated_by_hand as by_hand
from engine.analysis.activations import ACTIVATIONS

X, W = np.array([1.0, 2.0, 3.0]), np.array([0.2, -0.5, 0.4])


def test_the_neuron_of_the_specification() -> None:
    """Specification, T2."""
    found = by_hand.read(X, W, 0.1)
    assert (round(found.z, 12), round(found.a, 6), round(found.slope, 6)) == (
        0.5,
        0.622459,
        0.235004,
    )
    np.testing.assert_allclose(found.by_weight_N, [0.235004, 0.470007, 0.705011], atol=6e-7)
    np.testing.assert_allclose(found.by_input_N, [0.047001, -0.117502, 0.094001], atol=6e-7)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_gradients_by_finite_differences(activation: str) -> None:
    found, near = by_hand.read(X, W, 0.1, activation), 1e-6
    for n, step in enumerate(near * np.eye(3)):
        up, down = (by_hand.read(X, W + d, 0.1, activation).a for d in (step, -step))
        assert (up - down) / (2 * near) == pytest.approx(found.by_weight_N[n], abs=1e-8)
        up, down = (by_hand.read(X + d, W, 0.1, activation).a for d in (step, -step))
        assert (up - down) / (2 * near) == pytest.approx(found.by_input_N[n], abs=1e-8)


def test_rectifiers_and_their_slopes() -> None:
    """Specification, T57; a leaky ReLU is torch's."""
    z = np.array([-2, -0.1, 0, 0.1, 2])
    assert ACTIVATIONS["relu"].slope(z).tolist() == [0, 0, 0, 1, 1]
    assert ACTIVATIONS["leaky"].slope(z).tolist() == [0.01, 0.01, 0.01, 1, 1]
    torch.testing.assert_close(
        torch.from_numpy(ACTIVATIONS["leaky"].of(z)),
        torch.nn.functional.leaky_relu(torch.from_numpy(z)),
    )


def test_gates_and_contents() -> None:
    kept = by_hand.gated(np.array([1, 0, 0.7]), np.array([10.0, 10, 10]))
    np.testing.assert_allclose(kept, [10, 0, 7])
    assert by_hand.gated(np.array([0.3]), np.array([-1.0])).tolist() == [-0.3]
    for odd in (by_hand.gated, lambda a, b: by_hand.read(a, b, 0)):
        with pytest.raises(ValueError, match="for 2"):
            odd(X, X[:2])


def test_what_bounds_a_memory() -> None:
    of = by_hand.candidates(-10, 10)
    assert of["clamped z"](np.array([20.0, -20, 3])).tolist() == [10, -10, 3]
    for name, content in (("tanh", np.tanh(3.0)), ("leaky ReLU", 3.0), ("clamped z", 3.0)):
        made = by_hand.memory(of[name], 0.9, 0.5, 3.0, 50)
        assert made[0] == 0 and len(made) == 51
        assert made[50] == pytest.approx(0.5 * content * (1 - 0.9**50) / (1 - 0.9))
    assert by_hand.memory(of["tanh"], 1.0, 1.0, 3.0, 40)[-1] == pytest.approx(40 * np.tanh(3))
    assert by_hand.memory(of["leaky ReLU"], 0.0, 1.0, -3.0, 1).tolist() == [0, -0.03]


def test_two_blocks_are_one_matrix() -> None:
    """LSTM A11: [W_hh, W_ih] [h; x] = W_hh h + W_ih x, against a cell of torch whose input gate it is."""
    h, x = np.array([0.5, -1.0]), np.array([1.0, 2.0, -1.0])
    hh, ih = by_hand.blocks(2, 3)
    whole, (own, read) = by_hand.joined(hh, ih, h, x)
    np.testing.assert_allclose(whole, own + read)
    cell = torch.nn.RNNCell(3, 2, bias=False, nonlinearity="tanh").double()
    cell.weight_hh.data, cell.weight_ih.data = torch.from_numpy(hh), torch.from_numpy(ih)
    found = cell(torch.from_numpy(x)[None], torch.from_numpy(h)[None])[0]
    np.testing.assert_allclose(np.tanh(whole), found.detach())
    with pytest.raises(ValueError, match="mismatch"):
        by_hand.joined(hh, ih, x, h[:1])
