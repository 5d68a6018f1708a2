"""Nets built from switches, how their weights begin, what is normalised and clipped: against sums by hand,
torch's own layers and the figures of the specification."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from engine.analysis import cures, starts
from engine.analysis.cures import CELLS, SEED, Switches
from engine.lessons.cures import clipped, normalised, one_unit
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
    x_BTD = cures.inputs(TEXT, cures.TEXTS if norm == "batch" else 1).double().numpy()
    step = 1e-6
    for residual in (False, True):
        chosen = Switches(activation=activation, norm=norm, residual=residual, layers=2, scale=1.5)
        found = cures.on_text(chosen, TEXT)
        _, states = forward(found, chosen, x_BTD)
        assert found.state_LTH[1:] == pytest.approx(states[:, 0], abs=2e-5)
        assert found.signal_LT[0] == pytest.approx(np.sqrt(np.square(x_BTD[0]).mean(-1)), rel=1e-5)
        got = (found.through_LTH + found.above_LTH)[0]
        for t, d in product((0, 5, len(TEXT) - 1), (0, 7)):
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


def test_a_character_keeps_its_vector_and_others_their_random_numbers() -> None:
    assert torch.equal(cures.inputs("ab")[0, 1], cures.inputs("xyb")[0, 2])
    assert torch.equal(cures.inputs("abc", 4)[0], cures.inputs("abc")[0])
    assert cures.inputs("\ud800").shape == (1, 1, cures.H)  # half of an emoji
    torch.manual_seed(5)
    want = torch.randn(3)
    torch.manual_seed(5)
    cures.on_text(Switches(layers=1), "ab")
    assert torch.equal(torch.randn(3), want)


X = np.random.default_rng(3).normal(size=(4, 5, 6))


def test_axes_as_torch_and_whose_texts_count() -> None:
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
    other = X.copy()
    other[1:] += 3
    for over, same in (("layer", True), ("batch", False), ("batch_time", False)):
        a, b = (normalised.normalise(x, over).y_BTH[0] for x in (X, other))
        assert np.allclose(a, b) is same
    assert normalised.normalise(X[:1], "batch", 2, 7).y_BTH == pytest.approx(7)  # a batch of one


def test_norms_as_specified() -> None:
    # rnn E15; transformers T33: [1, 2, 3, 4] + [.5, -.5, .5, -.5]
    rows = (((1.1, 1.7), (-0.99994, 0.99994), 1e-5), ((1.5, 1.5, 3.5, 3.5), (-1, -1, 1, 1), 1e-4))
    for row, normed_row, off in rows:
        found = normalised.normalise(np.array(row)[None, None], "layer").y_BTH[0, 0]
        assert found == pytest.approx(normed_row, abs=off)
    # foundations T45: gain and shift of 10 saturate a sigmoid again
    y = normalised.normalise(np.array([1.0, 2, 3, 4])[:, None, None], "batch", 10, 10).y_BTH.ravel()
    assert y == pytest.approx((-3.416350, 5.527880, 14.472120, 23.416350), abs=1e-4)
    slope = 1 / (1 + np.exp(-y)) * (1 - 1 / (1 + np.exp(-y)))
    assert slope == pytest.approx((0.030778, 0.003943, 0.000001, 0), abs=1e-6)
    # foundations T9: each feature by itself; dx by central differences, upstream [1, 0, 0, 2].
    two = np.array([[1.0, 10], [2, 20], [3, 30]])[:, None]
    want = np.array([[-1.224736, 0, 1.224736], [-1.224745, 0, 1.224745]]).T
    assert normalised.normalise(two, "batch").y_BTH[:, 0] == pytest.approx(want, abs=1e-6)
    x, up, by = np.array([1.0, 2, 3, 4]), np.array([1.0, 0, 0, 2]), 1e-5

    def loss(x: np.ndarray) -> float:
        return float(up @ normalised.normalise(x[:, None, None], "batch").y_BTH[:, 0, 0])

    dx = np.array([(loss(x + by * e) - loss(x - by * e)) / (2 * by) for e in np.eye(4)])
    assert dx == pytest.approx([0.626093, -0.536655, -0.804980, 0.715542], abs=1e-6)
    assert dx.sum() == pytest.approx(0, abs=1e-8) and dx @ (x - 2.5) == pytest.approx(0, abs=1e-4)


def test_arrows_as_specified() -> None:
    assert clipped.arrow((9, 12), "norm", 5) == pytest.approx((3, 4), abs=1e-5)
    assert clipped.arrow((9, 12), "value", 5) == pytest.approx((5, 5))
    # transformers T48
    assert clipped.arrow((3, 4), "norm", 1) == pytest.approx((0.6, 0.8), abs=1e-5)
    by_value = clipped.arrow((0.5, 10), "value", 5)
    assert by_value == pytest.approx((0.5, 5))
    assert clipped.turned((0.5, 10), by_value) == pytest.approx(2.85, abs=0.005)
    assert clipped.turned((1, 0), (-2, 0)) == pytest.approx(180)
    assert clipped.turned((1, 1), (0, 0)) == 0
    for kind in ("norm", "value", "adaptive", "none"):
        assert clipped.arrow((0.3, -0.4), kind, 5).tolist() == [0.3, -0.4]  # never longer


@given(st.tuples(*(st.floats(-1e3, 1e3, allow_subnormal=False),) * 2), st.floats(0.01, 100))
def test_a_norm_never_turns_an_arrow(g: tuple[float, float], threshold: float) -> None:
    after = clipped.arrow(g, "norm", threshold)
    assert math.hypot(*after) <= threshold * (1 + 1e-9)
    if math.hypot(*g) > 1e-3:
        assert clipped.turned(g, after) < 1e-5
    assert np.abs(clipped.arrow(g, "value", threshold)).max() <= threshold


def test_bounds_as_specified() -> None:
    # lstm T13: (812 -> 512), and stacked (300 -> 4 x 512)
    assert starts.bounds(812, 512)["xavier"][0] == pytest.approx(0.067318, abs=1e-6)
    assert starts.bounds(812, 512)["he"][0] == pytest.approx(0.085960, abs=1e-6)
    assert starts.bounds(300, 512, 4)["xavier"][0] == pytest.approx(0.050551, abs=1e-6)
    assert starts.bounds(812, 512)["uniform"][1] == pytest.approx(0.0577, abs=1e-4)
    assert starts.bounds(812, 512)["torch"][0] == pytest.approx(0.0442, abs=1e-4)
    # foundations T8: bound and standard deviation
    for wide, high, xavier, he in (
        (64, 64, (0.216506, 0.125), (0.306186, 0.176777)),
        (784, 256, (0.075955, 0.043853), (0.087482, 0.050508)),
        (300, 512, (0.085960, 0.049629), (0.141421, 0.081650)),
        (512, 512, (0.076547, 0.044194), (0.108253, 0.0625)),
        (3, 2, (1.095445, 0.632456), (1.414214, 0.816497)),
    ):
        found = starts.bounds(wide, high)
        assert found["xavier"] == pytest.approx(xavier, abs=1e-6)
        assert found["he"] == pytest.approx(he, abs=1e-6)


@together("start", starts.KINDS)
def test_spectra(start: str) -> None:
    values, singular = starts.spectrum(start, 2.0)
    cell = cures.build(Switches(start=start, layers=1)).layers[0]
    assert isinstance(cell, Cell)
    u_HH = 2 * cell.matrices()[1].detach().double().numpy()
    # |det| both ways, the trace, the sum of squares; no eigenvalue beyond the largest singular value
    assert np.abs(values).prod() == pytest.approx(singular.prod(), rel=1e-6)
    assert values.sum().real == pytest.approx(np.trace(u_HH), abs=1e-5)
    assert np.square(singular).sum() == pytest.approx(np.square(u_HH).sum(), rel=1e-6)
    assert np.abs(values).max() <= singular[0] * (1 + 1e-9)
    if start == "orthogonal":
        assert singular == pytest.approx(2, rel=1e-5)
        assert np.abs(values) == pytest.approx(2, rel=1e-5)


def test_forget_gates_begin_at_the_sigmoid_of_their_bias() -> None:
    x_BTD = cures.inputs("the keys of the man are lost")
    means = [float(starts.gates(x_BTD, bias).mean()) for bias in (0.0, 1.0, 2.0, 3.0)]
    assert means == pytest.approx([1 / (1 + math.exp(-b)) for b in (0, 1, 2, 3)], abs=0.03)
    # lstm T8: set in both biases, 1 would act as 2
    cell = cures.build(Switches("lstm", forget_bias=1.0, layers=1)).layers[0]
    assert isinstance(cell, Cell)
    biases = cell.matrices()[2]
    assert sum(biases[1:], biases[0])[cures.H : 2 * cures.H].tolist() == [1.0] * cures.H


def test_powers() -> None:
    """foundations T4: a factor of w / 4 for each layer where the sum stays 0, and less where it does not."""

    def centred(w: float, n: int) -> float:
        return float(one_unit.network(w, -w / 2, 0.5, n)[1][n])

    for n, want in ((1, 0.25), (2, 0.0625), (3, 0.015625), (5, 9.765625e-4), (8, 1.525879e-5)):
        assert centred(1, n) == pytest.approx(want, rel=1e-6)
    for n, want in ((10, 9.536743e-7), (20, 9.094947e-13), (50, 7.888609e-31)):
        assert centred(1, n) == pytest.approx(want, rel=1e-6)
    assert centred(1, 9) > 1e-6 > centred(1, 10)
    assert centred(2, 20) == pytest.approx(9.536743e-7, rel=1e-6) and centred(4, 50) == 1
    for w, n, want in ((5, 50, 70064.92), (8, 10, 1024), (8, 20, 1048576), (8, 50, 1.1259e15)):
        assert centred(w, n) == pytest.approx(want, rel=1e-5)
    for w, want in ((1, 1.1431e-13), (4, 3.5893e-22), (8, 2.3670e-50)):
        assert one_unit.network(w, 0, 0.5, 20)[1][20] == pytest.approx(want, rel=1e-4)
