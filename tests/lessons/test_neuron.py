"""Activations against torch, one neuron against sums by hand and brute force, the sums of an LSTM against its gates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

from engine.analysis import activations
from engine.analysis.activations import ACTIVATIONS, ALL, FORMATS, sigmoid, steepest, zeros
from engine.frame.part import Part
from engine.lessons.neuron import one_neuron, parts, saturation
from engine.lessons.neuron.one_neuron import CORNERS, TASKS, Neuron
from engine.lessons.neuron.saturation import SQUASHED
from engine.models.abilities import able
from engine.models.recurrent import RecurrentModel
from tests.conftest import shipped, together
from tests.lessons.blocks import said

SAME = {"sigmoid": torch.sigmoid, "tanh": torch.tanh, "relu": torch.relu}
SAME |= {"leaky": functional.leaky_relu, "hard": functional.hardsigmoid}
TORCH = SAME | {name: getattr(functional, name) for name in ("elu", "softplus", "gelu")}
Z = np.concatenate([np.linspace(-12, 12, 97), [-3.0, 0.0, 3.0]])


@together("id", ACTIVATIONS)
def test_torch_finds_the_same(id: str) -> None:
    of = ACTIVATIONS[id]
    z = torch.tensor(Z, requires_grad=True)
    a = TORCH[id](z)
    (slope,) = torch.autograd.grad(a.sum(), z)
    np.testing.assert_allclose(of.of(Z), a.detach(), atol=1e-12)
    np.testing.assert_allclose(of.slope(Z), slope, atol=1e-8)
    assert (of.of(Z) >= of.low).all() and (of.of(Z) <= of.high).all()


def test_known_values() -> None:
    """Specification, foundations T1 and T57, LSTM T6."""
    z = np.array([-2.0, -1, 0, 0.5, 1, 2, 4])
    want = {
        "sigmoid": [0.119203, 0.268941, 0.5, 0.622459, 0.731059, 0.880797, 0.982014],
        "tanh": [-0.964028, -0.761594, 0, 0.462117, 0.761594, 0.964028, 0.999329],
        "gelu": [-0.045500, -0.158655, 0, 0.345731, 0.841345, 1.954500, 3.999873],
    }
    for id, values in want.items():
        np.testing.assert_allclose(ACTIVATIONS[id].of(z), values, atol=6e-7)
    slopes = {
        "sigmoid": [0.104994, 0.196612, 0.25, 0.235004, 0.196612, 0.104994, 0.017663],
        "tanh": [0.070651, 0.419974, 1, 0.786448, 0.419974, 0.070651, 0.001341],
    }
    for id, values in slopes.items():
        np.testing.assert_allclose(ACTIVATIONS[id].slope(z), values, atol=6e-7)
    np.testing.assert_allclose(np.tanh(z), 2 * ACTIVATIONS["sigmoid"].of(2 * z) - 1, atol=1e-12)
    six = np.array([6.0])
    assert ACTIVATIONS["sigmoid"].of(six)[0] == pytest.approx(0.997527, abs=6e-7)
    assert ACTIVATIONS["sigmoid"].slope(six)[0] == pytest.approx(0.002467, abs=6e-7)
    slope = ACTIVATIONS["sigmoid"].slope(np.array([10.0]))[0]
    assert slope == pytest.approx(4.53958e-5, rel=1e-5)
    x = np.array([-2, -0.1, 0, 0.1, 2])
    assert ACTIVATIONS["relu"].slope(x).tolist() == [0, 0, 0, 1, 1]
    assert ACTIVATIONS["leaky"].slope(x).tolist() == [0.01, 0.01, 0.01, 1, 1]


def test_largest_slopes_borders_and_zeros() -> None:
    found = {of.id: steepest(of) for of in ALL}
    assert found["sigmoid"] == 0.25 and found["tanh"] == 1.0
    assert found["hard"] == pytest.approx(1 / 6) and found["softplus"] == pytest.approx(1)
    assert found["gelu"] == pytest.approx(1.128904, abs=1e-6)  # at the root of 2
    for squash in ("sigmoid", "tanh"):
        of = ACTIVATIONS[squash]
        for share in (0.01, 0.1, 0.5):
            at = np.array([saturation.border(squash, share)])
            assert of.slope(at)[0] == pytest.approx(share * steepest(of))
    # Half of the normal distribution lies below 0, and 0.135 % of it below -3.
    share = {id: zeros(of) for id, of in ACTIVATIONS.items()}
    assert share["relu"] == pytest.approx(0.5, abs=1e-4)
    flat = next(id for id, of in ACTIVATIONS.items() if "ard" in of.title)
    assert share[flat] == pytest.approx(0.00135, abs=1e-4)
    assert all(share[id] == 0 for id in share if id not in ("relu", flat))


@together("kind", FORMATS.values())
def test_where_digits_end(kind: type[np.floating]) -> None:
    for squash in (sigmoid, np.tanh):
        at = activations.rounded_to_one(squash, kind)
        assert kind(squash(np.array(at))) == 1 != kind(squash(np.array(at - 1e-3)))


def test_a_neuron_by_hand() -> None:
    """Specification, T2: the gates, and the gradients by finite differences."""
    s = [0, 0.006693, 0.993307, 1]
    for b, want in ((-15, [0, s[1], s[1], s[2]]), (-5, [s[1], s[2], s[2], 1])):
        np.testing.assert_allclose(Neuron((10, 10), b).output(CORNERS), want, atol=6e-7)
    y = [y for _, _, y in one_neuron.xor()]
    np.testing.assert_allclose(y, [4.5e-5, 0.999955, 0.999955, 4.5e-5], atol=6e-7)
    near = 1e-6
    for of in ACTIVATIONS:
        x = np.array([[1.0, 0.5]])
        slope = Neuron((1.5, -1.0), 0.5, of).slope(x)[0]
        up, down = (Neuron((1.5 + d, -1.0), 0.5, of).output(x)[0] for d in (near, -near))
        assert (up - down) / (2 * near) == pytest.approx(slope * x[0, 0], abs=1e-8)


def test_what_one_neuron_can_tell_apart_and_another_cell_is_refused() -> None:
    """By brute force over many random neurons."""
    found = one_neuron.separable()
    rng = np.random.default_rng(0)
    w, b = rng.normal(0, 1, (20_000, 2)), rng.normal(0, 1.5, 20_000)
    drawn = {tuple(row) for row in (w @ CORNERS.T + b[:, None] > 0).astype(int).tolist()}
    assert drawn == {bits for bits, possible in found.items() if possible} and len(drawn) == 14
    assert not found[TASKS["xor"]] and not found[(1, 0, 0, 1)]
    with pytest.raises(TypeError, match="an LSTM is wanted"):
        saturation.raw(able(shipped("gru"), RecurrentModel), TEXT)


@together("task", TASKS)
def test_learning(task: str) -> None:
    wanted = TASKS[task]
    start = Neuron((1.5, -1.0), 0.5)
    one = start.learned(wanted, 0.5, 2_000)
    assert one.loss(wanted) < start.loss(wanted)
    assert one.right(wanted) == 4 if task != "xor" else one.loss(wanted) == pytest.approx(0.5)
    net = torch.nn.Linear(2, 1).double()
    with torch.no_grad():
        net.weight.copy_(torch.tensor([[1.5, -1.0]]))
        net.bias.fill_(0.5)
    descent = torch.optim.SGD(net.parameters(), 0.5)
    for _ in range(50):
        descent.zero_grad()
        a = torch.sigmoid(net(torch.tensor(CORNERS)))[:, 0]
        (0.5 * ((a - torch.tensor(wanted)) ** 2).sum()).backward()
        descent.step()
    peer = start.learned(wanted, 0.5, 50)
    np.testing.assert_allclose(net.weight[0].detach(), peer.w, atol=1e-10)
    assert float(net.bias.detach()) == pytest.approx(peer.b)


TEXT = "The king said yes.\nIt was the old captain who looked at the sea."


def test_the_sums_are_those_of_the_gates() -> None:
    model = able(shipped("lstm"), RecurrentModel)
    trace = model.trace(TEXT, fields=tuple(SQUASHED))
    for layer, sums in enumerate(saturation.raw(model, TEXT)):
        for name, values in sums.items():
            gate = trace.field(name).values[layer]
            made = values if name == "cell" else ACTIVATIONS[SQUASHED[name]].of(values)
            np.testing.assert_allclose(made, gate, atol=1e-3 if name == "cell" else 3e-5)
    found = saturation.measured(model, TEXT)
    assert len(found) == 2 * len(SQUASHED)
    for one in found:
        values = saturation.raw(model, TEXT)[one.layer][one.name]
        assert sum(one.counts) == values.size
        slope = ACTIVATIONS[SQUASHED[one.name]].slope(values.astype(float))
        flat = slope < 0.1 * (0.25 if SQUASHED[one.name] == "sigmoid" else 1)
        assert one.saturated == pytest.approx(flat.mean(), abs=1e-6)


def test_the_parts_say_what_was_measured() -> None:
    def of(part: Part, **chosen: Any) -> str:
        return said(part.blocks(**chosen))

    words = of(parts.neuron, n_w1=2.0, n_w2=-0.5, n_b=0.1, n_x1=0.5, n_x2=1.0)
    a = 1 / (1 + np.exp(-0.6))
    assert r"2 \cdot 0.5 + (-0.5) \cdot 1 + 0.1 = 0.6" in words
    assert f"= {a:.4f}" in words and f"{a * (1 - a) * 0.5:.4f}" in words
    assert "**Flat**" in of(parts.neuron, n_f="relu", n_b=-9.0)
    assert "**Saturated**" in of(parts.neuron, n_b=9.0)
    assert "three corners right at most" in of(parts.neuron, n_task="xor")
    assert "**14 of 16**" in of(parts.logic) and "9.54 × 10⁻⁷" in of(parts.functions)
    assert "69 %" in of(parts.gates, lstm=shipped("lstm"))
    np.testing.assert_allclose(parts.hold(0.5, 1.0)[:4], [0, 1, 1.5, 1.75])
    assert "nothing is ever forgotten" in of(parts.memory, hand_forget=1.0)
