"""Nets built from switches: their states and gradients against sums by hand, torch's own layers and the
ratios of the specification."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from engine.analysis import cures
from engine.analysis.cures import CELLS, SEED, Switches
from engine.nn.cells.base import Cell
from tests.conftest import diagonal, together

TEXT = "the keys are"
SQUEEZE: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "tanh": np.tanh,
    "sigmoid": lambda a: 1 / (1 + np.exp(-a)),
    "relu": lambda a: np.maximum(a, 0),
}


def weights(found: cures.Sizes) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    made = []
    for layer in found.net.layers:
        assert isinstance(layer, Cell)
        w, u, biases = layer.matrices()
        made.append(tuple(x.detach().double().numpy() for x in (w, u, sum(biases[1:], biases[0]))))
    return made  # type: ignore[return-value]


def normed(a_BH: np.ndarray, kind: str) -> np.ndarray:
    if kind == "none":
        return a_BH
    axis = 1 if kind == "layer" else 0
    far = a_BH - a_BH.mean(axis, keepdims=True)
    return far / np.sqrt(np.square(far).mean(axis, keepdims=True) + 1e-5)


def forward(found: cures.Sizes, chosen: Switches, x_BTD: np.ndarray) -> tuple[float, np.ndarray]:
    """The loss of the first text and the states (L, B, T, H), once more in numpy."""
    y, states = x_BTD, []
    for w, u, b in weights(found):
        h, rows = np.zeros(y[:, 0].shape), []
        for t in range(y.shape[1]):
            a = normed(y[:, t] @ w.T + h @ u.T + b, chosen.norm)
            h = SQUEEZE[chosen.activation](a)
            rows.append(h)
        states.append(np.stack(rows, 1))
        y = y + states[-1] if chosen.residual else states[-1]
    v = torch.randn((1, cures.H), generator=torch.Generator().manual_seed(SEED)).double().numpy()
    return float((v * y[:1, -1]).sum()), np.stack(states)


@diagonal("norm,activation", cures.NORMS, cures.ACTIVATIONS)
def test_states_and_gradients_of_plain_nets_by_differences(norm: str, activation: str) -> None:
    for residual in (False, True):
        by_differences(activation, norm, residual)


def by_differences(activation: str, norm: str, residual: bool) -> None:
    chosen = Switches(activation=activation, norm=norm, residual=residual, layers=2, scale=1.5)
    found = cures.on_text(chosen, TEXT)
    x_BTD = cures.inputs(TEXT, cures.TEXTS if norm == "batch" else 1).double().numpy()
    _, states = forward(found, chosen, x_BTD)
    assert found.state_LTH[1:] == pytest.approx(states[:, 0], abs=2e-5)
    assert found.signal_LT[0] == pytest.approx(np.sqrt(np.square(x_BTD[0]).mean(-1)), rel=1e-5)
    got = (found.through_LTH + found.above_LTH)[0]
    step = 1e-6
    for t in (0, 5, len(TEXT) - 1):
        for d in (0, 7):
            losses = []
            for by in (step, -step):
                moved = x_BTD.copy()
                moved[0, t, d] += by
                losses.append(forward(found, chosen, moved)[0])
            want = (losses[0] - losses[1]) / 2 / step
            assert got[t, d] == pytest.approx(want, rel=2e-3, abs=1e-7 * found.gradient_LT.max())


def test_both_parts_of_a_gradient_by_hand() -> None:
    chosen = Switches(layers=3)
    found = cures.on_text(chosen, TEXT)
    v = torch.randn((1, cures.H), generator=torch.Generator().manual_seed(SEED)).double().numpy()[0]
    count, made = len(TEXT), weights(found)
    above = np.zeros((4, count, cures.H))
    through = np.zeros((4, count, cures.H))
    above[3, -1] = v
    for layer in (3, 2, 1):
        w, u, _ = made[layer - 1]
        for t in reversed(range(count)):
            h = found.state_LTH[layer, t].astype(float)
            a = (through[layer, t] + above[layer, t]) * (1 - h * h)  # before the activation
            if t:
                through[layer, t - 1] = u.T @ a
            above[layer - 1, t] = w.T @ a
    assert found.above_LTH == pytest.approx(above, rel=1e-3, abs=1e-6)
    assert found.through_LTH == pytest.approx(through, rel=1e-3, abs=1e-6)
    assert found.gradient_LT == pytest.approx(np.linalg.norm(above + through, axis=-1), rel=1e-3)
    assert found.share_LT[-1, -1] == 1


@pytest.mark.parametrize("cell", CELLS)
def test_gated_cells_as_the_stack_that_trains(cell: str) -> None:
    chosen = Switches(cell=cell, forget_bias=2.0, layers=2)
    found = cures.on_text(chosen, TEXT)
    x_BTD = cures.inputs(TEXT).requires_grad_()
    with torch.enable_grad():
        y_BTH = found.net.read(x_BTD)
        v = torch.randn((1, cures.H), generator=torch.Generator().manual_seed(SEED))
        (want,) = torch.autograd.grad((v * y_BTH[:, -1]).sum(), x_BTD)
    assert found.state_LTH[-1] == pytest.approx(y_BTH[0].detach().numpy(), abs=1e-5)
    assert found.above_LTH[0] == pytest.approx(want[0].numpy(), rel=1e-3, abs=1e-6)


def test_a_norm_in_a_gated_cell_leaves_large_weights_without_effect() -> None:
    """N(W x) and N(U h) are the same for weights twice as large; the biases come after them."""
    small, large = (
        cures.on_text(Switches("gru", norm="layer", scale=s, layers=1), TEXT) for s in (1.0, 2.0)
    )
    assert small.state_LTH[1] == pytest.approx(large.state_LTH[1], abs=2e-3)
    other = cures.on_text(Switches("gru", scale=2.0, layers=1), TEXT)
    assert np.abs(other.state_LTH[1] - small.state_LTH[1]).max() > 0.05


# foundations T46: |gradient at the input| / |at the output|, 20 layers of 64 units, 32 inputs, weights
# with a standard deviation of 0.01, 1/8 and sqrt(2)/8: those of Xavier times 0.08, of Xavier, and of He
RATIOS = {
    ("sigmoid", "plain"): (1.1e-34, 2.5e-13, 8.2e-11),
    ("sigmoid", "batch"): (0.417, 0.438, 0.438),
    ("sigmoid", "residual"): (1.005, 1.208, 1.318),
    ("tanh", "plain"): (1.3e-22, 0.209, 1.730),
    ("tanh", "batch"): (4.49, 4.53, 4.53),
    ("tanh", "residual"): (1.07, 8.44, 16.0),
    ("relu", "plain"): (7.3e-26, 6.3e-4, 0.646),
    ("relu", "batch"): (55.4, 48.3, 48.3),
    ("relu", "residual"): (1.04, 387, 7991),
}


@together(("activation", "cure"), RATIOS)
def test_deep_nets_as_specified(activation: str, cure: str) -> None:
    """Other random numbers than theirs: within a factor of 2, over a span of 10^38."""
    x_BTD = torch.randn(32, 1, 64, generator=torch.Generator().manual_seed(0))
    starts = (("xavier", 0.08), ("xavier", 1.0), ("he", 1.0))
    for (start, scale), want in zip(starts, RATIOS[activation, cure], strict=True):
        more = {"plain": {}, "batch": {"norm": "batch"}, "residual": {"residual": True}}[cure]
        chosen = Switches(activation=activation, start=start, scale=scale, layers=20, **more)
        got = cures.measure(chosen, x_BTD).gradient_LT
        assert 0.5 < got[0, 0] / got[-1, 0] / want < 2, (start, scale)


def test_a_layer_norm_in_a_cell_as_specified() -> None:
    """rnn E15: N([1.1, 1.7]) = [-.99994, .99994], and tanh of it; a bias alike for both units changes nothing."""
    for bias in (0.0, 0.1):
        walk = cures.Walk(cures.build(Switches(layers=1), 2).layers[0], Switches(norm="layer"))
        sums = walk.see("preactivation", torch.tensor([[1.0, 1.6]]) + bias)
        assert sums[0].tolist() == pytest.approx([-0.99994, 0.99994], abs=1e-5)
        assert walk.tanh(sums)[0].tolist() == pytest.approx([-0.76157, 0.76157], abs=1e-5)


def test_a_forget_bias_lets_a_gradient_through_and_residual_connections_do_not() -> None:
    text = "the keys of the man are lost"
    nets = {"plain": Switches(), "residual": Switches(residual=True), "lstm": Switches("lstm")}
    nets["bias"] = Switches("lstm", forget_bias=3.0)
    shares = {name: float(cures.on_text(net, text).share_LT[0, 0]) for name, net in nets.items()}
    assert shares["residual"] < shares["plain"] < 1e-6 and shares["lstm"] < 1e-6
    assert shares["bias"] > 0.01
    assert [cures.verdict(shares[n]) for n in ("plain", "bias")] == ["vanishes", "flows"]


def test_an_overflow_is_found_where_it_begins() -> None:
    loud = Switches(activation="relu", start="he", scale=4.0, layers=20)
    found = cures.on_text(loud, "a text that is long enough for the numbers to end")
    assert found.broken is not None
    layer, step = found.broken
    assert not np.isfinite(found.signal_LT[layer, step])
    assert np.isfinite(found.signal_LT[:, :step]).all()
    assert np.isfinite(found.signal_LT[:layer, step]).all()
    assert cures.verdict(float(found.share_LT[0, 0])) == "overflows"
    assert cures.on_text(Switches(), TEXT).broken is None


def test_a_character_keeps_its_vector_and_the_first_text_is_the_typed_one() -> None:
    assert torch.equal(cures.inputs("ab")[0, 1], cures.inputs("xyb")[0, 2])
    assert torch.equal(cures.inputs("abc", 4)[0], cures.inputs("abc")[0])
    assert cures.inputs("\ud800").shape == (1, 1, cures.H)  # half of an emoji


def test_building_leaves_the_random_numbers_of_others_alone() -> None:
    torch.manual_seed(5)
    want = torch.randn(3)
    torch.manual_seed(5)
    cures.on_text(Switches(layers=1), "ab")
    assert torch.equal(torch.randn(3), want)
