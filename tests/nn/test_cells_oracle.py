"""Oracle: the numbers of every recurrent cell, by hand, by torch, and by the vectors of the
spec."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from engine.core.registry import cells
from engine.core.tap import Edit, How, Recorder
from engine.core.trace import FieldSpec
from engine.models.recurrent import Net
from engine.nn.cells.base import Cell
from engine.nn.cells.config import RecurrentConfig
from engine.nn.cells.dual_memory import DualMemory
from engine.nn.cells.gru import GRU
from engine.nn.cells.gru_after import GRUAfter
from engine.nn.cells.layernorm_lstm import LayerNormLSTM
from engine.nn.cells.lstm import LSTM
from engine.nn.cells.rnn import RNN
from engine.nn.fused import gates_of_the_kernel
from engine.nn.initial import initialise
from engine.nn.stack import Stack, from_torch, to_torch
from tests.conftest import sampled, together

Numbers = dict[str, np.ndarray]
IDS = cells.ids()


def s(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def watched(
    cell: Cell, x: Any, edits: tuple[Edit, ...] = (), last: tuple[torch.Tensor, ...] | None = None
) -> Numbers:
    recorder = Recorder(edits)
    with torch.inference_mode():
        cell.eval()(torch.as_tensor(np.asarray(x), dtype=torch.float32)[None], recorder, last)
    return {spec.name: recorder.values(_flat(spec)) for spec in cell.fields}


def _flat(spec: FieldSpec) -> FieldSpec:
    """The promise of one layer by itself."""
    return replace(spec, axes=("token", "unit"))


def put(cell: Cell, w: Any, u: Any, b: Any) -> None:
    """Weights of a cell; the second bias, where there is one, is 0."""
    w_ED, u_EH, biases = cell.matrices()
    with torch.no_grad():
        w_ED.copy_(torch.tensor(w, dtype=torch.float32).reshape(w_ED.shape))
        u_EH.copy_(torch.tensor(u, dtype=torch.float32).reshape(u_EH.shape))
        for bias, value in zip(biases, (b, 0.0), strict=False):
            bias.copy_(torch.as_tensor(value, dtype=torch.float32).expand_as(bias))


def doubles(cell: Cell) -> dict[str, np.ndarray]:
    return {name: p.detach().double().numpy() for name, p in cell.named_parameters()}


def blocks(cell: Cell, x: np.ndarray, h: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """W x, U and b of a cell in float64."""
    w, u, biases = (cell.matrices()[0], cell.matrices()[1], cell.matrices()[2])
    return (
        w.detach().double().numpy() @ x,
        u.detach().double().numpy(),
        sum(b.detach().double().numpy() for b in biases),
    )


# One step of every cell, written out once more: from x, the state before (by name) and the cell to
# all its numbers.
def rnn(cell: Any, x: np.ndarray, was: Numbers) -> Numbers:
    wx, u, b = blocks(cell, x, was["hidden"])
    a = wx + u @ was["hidden"] + b
    return {
        "preactivation": a,
        "hidden": np.tanh(a) if cell.activation == "tanh" else np.maximum(a, 0),
    }


def norm(v: np.ndarray) -> np.ndarray:
    out: np.ndarray = (v - v.mean()) / np.sqrt(v.var() + 1e-5)
    return out


def lstm_like(cell: Any, x: np.ndarray, was: Numbers) -> Numbers:
    wx, u, b = blocks(cell, x, was["hidden"])
    h, c, n, p = was["hidden"], was["cell"], cell.h, doubles(cell)
    a = wx + u @ h + b
    if isinstance(cell, LayerNormLSTM):
        a = norm(wx) * p["gain_x"] + p["shift_x"] + norm(u @ h) * p["gain_h"] + p["shift_h"] + b
    part = {gate: a[k * n : (k + 1) * n] for k, gate in enumerate(cell.gates)}
    look = p.get("look", np.zeros((3, n)))
    f = s(part["gate.forget"] + look[1] * c) if "gate.forget" in part else np.ones(n)
    i = s(part["gate.input"] + look[0] * c) if "gate.input" in part else 1 - f
    g = np.tanh(part["candidate"])
    new = f * c + i * g
    o = s(part["gate.output"] + look[2] * new)
    shown = norm(new) * p["gain_c"] + p["shift_c"] if isinstance(cell, LayerNormLSTM) else new
    return {
        "gate.input": i,
        "gate.forget": f,
        "candidate": g,
        "gate.output": o,
        "cell": new,
        "hidden": o * np.tanh(shown),
    }


def gru(cell: Any, x: np.ndarray, was: Numbers) -> Numbers:
    wx, u, b = blocks(cell, x, was["hidden"])
    h, n = was["hidden"], cell.h
    r, z = s((wx + u @ h + b)[:n]), s((wx + u @ h + b)[n : 2 * n])
    new = np.tanh(wx[2 * n :] + u[2 * n :] @ (r * h) + b[2 * n :])
    return {"gate.reset": r, "gate.update": z, "candidate": new, "hidden": (1 - z) * h + z * new}


def gru_after(cell: Any, x: np.ndarray, was: Numbers) -> Numbers:
    wx, u, _ = blocks(cell, x, was["hidden"])
    b, b2 = (bias.detach().double().numpy() for bias in cell.matrices()[2])
    h, n = was["hidden"], cell.h
    r, z = s((wx + b + u @ h + b2)[:n]), 1 - s((wx + b + u @ h + b2)[n : 2 * n])
    new = np.tanh((wx + b)[2 * n :] + r * (u @ h + b2)[2 * n :])
    return {"gate.reset": r, "gate.update": z, "candidate": new, "hidden": (1 - z) * h + z * new}


def mgu(cell: Any, x: np.ndarray, was: Numbers) -> Numbers:
    wx, u, b = blocks(cell, x, was["hidden"])
    h, n = was["hidden"], cell.h
    f = s((wx + u @ h + b)[:n])
    new = np.tanh(wx[n:] + u[n:] @ (f * h) + b[n:])
    return {"gate.update": f, "candidate": new, "hidden": (1 - f) * h + f * new}


def dual(cell: Any, x: np.ndarray, was: Numbers) -> Numbers:
    wx, u, b = blocks(cell, x, was["hidden"])
    n, a = cell.h, wx + u @ was["hidden"] + b
    i_s, f_s, i_l, f_l = (s(a[k * n : (k + 1) * n]) for k in range(4))
    g, o = np.tanh(a[4 * n : 5 * n]), s(a[5 * n :])
    c_s, c_l = f_s * was["cell.short"] + i_s * g, f_l * was["cell.long"] + i_l * g
    both = {
        "sum": c_s + c_l,
        "mix": cell.mix * c_s + (1 - cell.mix) * c_l,
        "concat": np.concatenate([c_s, c_l]),
    }[cell.combine]
    named = {
        "gate.input.short": i_s,
        "gate.forget.short": f_s,
        "gate.input.long": i_l,
        "gate.forget.long": f_l,
    }
    return named | {
        "candidate": g,
        "gate.output": o,
        "cell.short": c_s,
        "cell.long": c_l,
        "hidden": o * np.tanh(both),
    }


STEPS: Mapping[str, Callable[[Any, np.ndarray, Numbers], Numbers]] = {
    "rnn": rnn,
    "gru": gru,
    "gru_after": gru_after,
    "mgu": mgu,
    "dual_memory": dual,
    **dict.fromkeys(("lstm", "lstm1997", "peephole", "coupled", "layernorm_lstm"), lstm_like),
}
FORMS: list[tuple[str, dict[str, Any]]] = [(id, {}) for id in IDS] + [
    ("rnn", {"activation": "relu"}),
    ("dual_memory", {"combine": "mix", "mix": 0.3}),
    ("dual_memory", {"combine": "concat"}),
]


def form(id: str, options: dict[str, Any], d: int = 5, h: int = 7) -> Cell:
    torch.manual_seed(3)
    made: Cell = cells.get(id)(d, h, **options)
    with torch.no_grad():
        for p in made.parameters():  # so that gains, peepholes and biases all matter
            p.add_(0.3 * torch.randn_like(p))
    return made.eval()


@together(("id", "options"), FORMS)
def test_every_number_of_a_cell_by_hand(id: str, options: dict[str, Any]) -> None:
    cell = form(id, options)
    x_TD = np.random.default_rng(0).normal(size=(30, 5))
    ours = watched(cell, x_TD)
    was = {name: np.zeros(n) for name, n in zip(cell.state, cell.sizes(), strict=True)}
    for t, x in enumerate(x_TD):
        now = STEPS[id](cell, x.astype(np.float32).astype(np.float64), was)
        for name in cell.names:
            np.testing.assert_allclose(
                ours[name][t], now[name], atol=3e-6, err_msg=f"{name} at token {t}"
            )
        was = {name: now[name] for name in cell.state}


@sampled(("id", "options"), FORMS, ids=str, each=3)
def test_batches_gradients_and_single_texts_take_different_roads_to_the_same_numbers(
    id: str, options: dict[str, Any]
) -> None:
    cell = form(id, options)
    x_BTD = torch.randn(3, 9, 5)
    with torch.enable_grad():
        together = cell(x_BTD).detach().numpy()
    for x, h in zip(x_BTD, together, strict=True):
        np.testing.assert_allclose(watched(cell, x)["hidden"], h, atol=2e-6)
    whole = watched(cell, x_BTD[0])
    last = tuple(torch.from_numpy(whole[name][4:5]) for name in cell.state)
    rest = watched(cell, x_BTD[0, 5:], last=last)
    for name in cell.names:
        np.testing.assert_allclose(
            rest[name], whole[name][5:], atol=2e-6, err_msg=f"going on: {name}"
        )


@sampled("id", IDS, each=3)
def test_memories_are_the_sums_they_say_they_are(id: str) -> None:
    """state_t = keep_t * state_{t-1} + product of what is written, at every token."""
    cell = form(id, {})
    found = watched(cell, np.random.default_rng(1).normal(size=(12, 5)))
    for memory in cell.memories:
        state = found[memory.state]
        before = np.vstack([np.zeros_like(state[:1]), state[:-1]])
        keep = found[memory.keep] if memory.keep else np.ones_like(state)
        keep = 1 - keep if memory.complement else keep
        np.testing.assert_allclose(
            state, keep * before + np.prod([found[w] for w in memory.write], 0), atol=1e-6
        )
    assert bool(cell.memories) == (id != "rnn")


@pytest.mark.parametrize("kind", [nn.RNN, nn.LSTM, nn.GRU])
@pytest.mark.parametrize("both_ways", [False, True])
def test_weights_from_and_to_torch(kind: Any, both_ways: bool) -> None:
    torch.manual_seed(0)
    peer = kind(6, 8, num_layers=2, bidirectional=both_ways, batch_first=True)
    ours = from_torch(peer).eval()
    x_BTD = torch.randn(2, 11, 6)
    back = to_torch(ours)
    with torch.inference_mode():
        theirs = peer(x_BTD)[0]
        for found in (ours.read(x_BTD), back(x_BTD)[0], ours.read(x_BTD[:1], Recorder())):
            torch.testing.assert_close(found, theirs[: len(found)], atol=1e-5, rtol=0)
    assert theirs.shape == (2, 11, 8 * (1 + both_ways))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here: torch sees no CUDA device")
@sampled("id", IDS)
def test_a_cell_on_the_gpu(id: str) -> None:
    cell, x_BTD = form(id, {}), torch.randn(1, 40, 5)
    here = watched(cell, x_BTD[0])
    recorder = Recorder((Edit("hidden", {"unit": 0, "token": 50}),))
    with torch.inference_mode():
        cell.cuda()(x_BTD.cuda(), recorder)
    for spec in cell.fields:
        np.testing.assert_allclose(
            recorder.values(_flat(spec)), here[spec.name], atol=1e-5, err_msg=spec.name
        )


def test_what_torch_does_not_have_is_said() -> None:
    with pytest.raises(ValueError, match="torch has no layer for Peephole"):
        to_torch(Stack(cells.get("peephole"), 3, 4, 1))
    with pytest.raises(ValueError, match="residual"):
        to_torch(Stack(LSTM, 3, 3, 1, residual=True))
    with pytest.raises(ValueError, match="projections"):
        from_torch(nn.LSTM(4, 6, proj_size=2))
    with pytest.raises(ValueError, match="activation is tanh or relu"):
        RNN(2, 2, activation="gelu")
    with pytest.raises(ValueError, match="combine is sum, mix, concat"):
        DualMemory(2, 2, combine="both")


def test_gates_are_taken_from_the_kernel_only_when_they_explain_its_states(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where the kernel keeps nothing, or something else, one more product gives the same gates."""
    cell, x_TD = form("lstm", {}, 16, 64), np.random.default_rng(2).normal(size=(50, 16))
    quick = watched(cell, x_TD)
    real = torch.ops.aten.mkldnn_rnn_layer

    def other(*args: Any) -> Any:
        h, a, b, space = real(*args)
        return h, a, b, space and torch.zeros_like(space)

    for fake in (other, lambda *args: (*real(*args)[:3], None)):
        monkeypatch.setattr(torch.ops.aten, "mkldnn_rnn_layer", fake)
        with torch.inference_mode():
            assert (
                gates_of_the_kernel(
                    cell.fused, torch.zeros(1, 3, 16) + 1, *(torch.zeros(1, 64),) * 2
                )
                is None
            )
        for name, values in watched(cell, x_TD).items():
            np.testing.assert_allclose(values, quick[name], atol=2e-6, err_msg=name)


# --- the vectors of the spec
# -------------------------------------------------------------------------------------------


def test_lstm_with_all_weights_a_half() -> None:
    """Scalar, all weights .5, no bias, x = 1, 0, -1: f = i = o = s(.5) = .622459, c = .622459
    tanh(.5) = .287649."""
    cell = LSTM(1, 1)
    put(cell, [0.5] * 4, [0.5] * 4, 0.0)
    found = watched(cell, [[1.0], [0.0], [-1.0]])
    np.testing.assert_allclose(
        found["gate.forget"][:, 0], [0.622459, 0.521770, 0.389443], atol=1e-6
    )
    np.testing.assert_allclose(found["cell"][:, 0], [0.287649, 0.195436, -0.088083], atol=1e-6)
    np.testing.assert_allclose(found["hidden"][:, 0], [0.174270, 0.100694, -0.034215], atol=1e-6)


def test_lstm_step_from_a_state() -> None:
    """h' = .5, c' = .2, x = 1: f = s(.5 * .5 + .5 + 1) = s(1.75) = .851953; c = .170391 + .539426 =
    .709817."""
    cell = LSTM(1, 1)
    put(cell, [0.6, 0.5, 0.9, 0.7], [0.4, 0.5, 0.3, 0.2], [0.0, 1.0, 0.0, 0.0])
    found = watched(cell, [[1.0]], last=(torch.tensor([[0.5]]), torch.tensor([[0.2]])))
    got = [
        found[n][0, 0]
        for n in ("gate.forget", "gate.input", "candidate", "gate.output", "cell", "hidden")
    ]
    np.testing.assert_allclose(
        got, [0.851953, 0.689974, 0.781806, 0.689974, 0.709817, 0.421272], atol=1e-6
    )


def test_gru_with_all_weights_a_half_and_how_far_torch_s_form_is_away() -> None:
    cell = GRU(1, 1)
    put(cell, [0.5] * 3, [0.5] * 3, 0.0)
    found = watched(cell, [[1.0], [0.0], [-1.0]])
    np.testing.assert_allclose(
        found["gate.update"][:, 0], [0.622459, 0.535894, 0.398280], atol=1e-6
    )
    np.testing.assert_allclose(found["gate.reset"][:, 0], [0.622459, 0.535894, 0.398280], atol=1e-6)
    np.testing.assert_allclose(found["candidate"][:, 0], [0.462117, 0.076923, -0.434318], atol=1e-6)
    np.testing.assert_allclose(found["hidden"][:, 0], [0.287649, 0.174722, -0.067846], atol=1e-6)


def test_gru_from_torch_turns_the_update_gate_but_not_the_place_of_the_reset() -> None:
    torch.manual_seed(5)
    peer, x_TD = nn.GRU(4, 6, batch_first=True), torch.randn(8, 4)
    ours, theirs = watched(GRU.from_torch(peer), x_TD), watched(from_torch(peer).layers[0], x_TD)  # type: ignore[arg-type]
    assert np.abs(ours["hidden"] - theirs["hidden"]).max() > 1e-3
    np.testing.assert_allclose(ours["gate.update"][0], theirs["gate.update"][0], atol=1e-6)
    with torch.no_grad():
        peer.weight_hh_l0[12:] = (
            0  # without a product to reset, and without its bias, nothing is left to differ in
        )
        peer.bias_hh_l0[12:] = 0
        wanted = peer(x_TD[None])[0][0].numpy()
    np.testing.assert_allclose(watched(GRU.from_torch(peer), x_TD)["hidden"], wanted, atol=1e-6)


def test_one_unit_over_three_steps_as_specified() -> None:
    """language_models T32: an LSTM, and a GRU of torch, whose update gate shows as 1 less it."""
    x_TD = [[1.0], [-1.0], [0.5]]
    lstm = LSTM(1, 1)
    order = [("gate.input", 0.6, 0.4, 0), ("gate.forget", 0.5, 0.5, 1)]
    order += [("candidate", 0.9, 0.3, 0), ("gate.output", 0.7, 0.2, 0)]
    put(lstm, *([row[n] for row in order] for n in (1, 2)), torch.tensor([0.0, 1, 0, 0]))
    found = watched(lstm, x_TD)
    np.testing.assert_allclose(found["hidden"][:, 0], [0.288727, 0.016300, 0.161495], atol=1e-6)
    np.testing.assert_allclose(found["cell"][:, 0], [0.462482, 0.047318, 0.282187], atol=1e-6)
    gru = GRUAfter(1, 1)
    put(gru, [0.5, 0.8, 1.2], [0.3, -0.4, 0.7], torch.tensor([0.1, 0.2, -0.1]))
    with torch.no_grad():
        gru.matrices()[2][1].copy_(torch.tensor([0, 0.1, 0.05]))
    found = watched(gru, x_TD)
    found["gate.update"] = 1 - found["gate.update"]
    for name, values in {
        "gate.reset": [0.645656, 0.416009, 0.552372],
        "gate.update": [0.750260, 0.358681, 0.708130],
        "candidate": [0.811799, -0.839702, 0.334168],
        "hidden": [0.202739, -0.465799, -0.232312],
    }.items():
        np.testing.assert_allclose(found[name][:, 0], values, atol=1e-6, err_msg=name)


def test_rnn_of_the_notes() -> None:
    """W_xh = [[.5, -.2], [.1, .4]], W_hh = [[.3, .1], [-.2, .6]], b = [0, .1]; first step:
    tanh(.5), tanh(.1 + .1)."""
    cell = RNN(2, 2)
    put(cell, [[0.5, -0.2], [0.1, 0.4]], [[0.3, 0.1], [-0.2, 0.6]], [0.0, 0.1])
    found = watched(cell, [[1.0, 0], [0, 1.0], [1.0, 1.0]])["hidden"]
    np.testing.assert_allclose(
        found, [[0.462117, 0.197375], [-0.041603, 0.482319], [0.323679, 0.715182]], atol=1e-6
    )
    head = np.array([[1, -1], [0.5, 0.5], [-0.5, 1]])
    p = np.exp(found @ head.T)
    shares = [
        [0.355980, 0.379889, 0.264132],
        [0.169557, 0.356905, 0.473538],
        [0.165042, 0.410401, 0.424557],
    ]
    np.testing.assert_allclose(p / p.sum(1, keepdims=True), shares, atol=1e-6)


def bptt() -> tuple[RNN, nn.Linear, torch.Tensor]:
    cell, head = RNN(3, 2), nn.Linear(2, 1)
    put(cell, [[0.4, 0.5, 0.6], [0.7, 0.8, 0.9]], [[0.1, 0.2], [0.3, 0.1]], [0.1, 0.1])
    with torch.no_grad():
        head.weight.fill_(0.5)
        head.bias.fill_(0.1)
    return cell, head, torch.tensor([[[1.0, 0, 1], [0, 1, 0], [1, 1, 0]]])


def test_bptt_example_forwards_and_backwards() -> None:
    """a_1 = [.4 + .6 + .1, .7 + .9 + .1] = [1.1, 1.7]; y_1 = .5 (.80049902 + .93540907) + .1 =
    .96795401."""
    cell, head, x_BTD = bptt()
    found = watched(cell, x_BTD[0])
    np.testing.assert_allclose(found["preactivation"][0], [1.1, 1.7], atol=1e-6)
    np.testing.assert_allclose(found["hidden"][0], [0.80049902, 0.93540907], atol=1e-6)
    y_T = head(cell(x_BTD))[0, :, 0]
    np.testing.assert_allclose(y_T.detach(), [0.96795401, 0.87178020, 1.00042025], atol=1e-6)
    ((y_T - 1) ** 2).sum().backward()
    w, u, (b, _) = cell.matrices()
    assert w.grad is not None
    assert u.grad is not None
    assert b.grad is not None
    assert head.weight.grad is not None
    np.testing.assert_allclose(
        u.grad, [[-0.05226525, -0.06107054], [-0.02955518, -0.03453525]], atol=1e-6
    )
    np.testing.assert_allclose(w.grad[0], [-0.0177219, -0.06527574, -0.01784202], atol=1e-6)
    np.testing.assert_allclose(b.grad, [-0.08311776, -0.0430194], atol=1e-6)
    np.testing.assert_allclose(head.weight.grad, [[-0.23008085, -0.27549321]], atol=1e-6)


def test_a_deep_network_of_the_notes() -> None:
    deep = Stack(RNN, 3, 2, 2)
    put(deep.layers[0], [[0.5, -0.2, 0.1], [0.1, 0.4, -0.3]], [[0.3, 0.1], [-0.2, 0.6]], 0.0)  # type: ignore[arg-type]
    put(deep.layers[1], [[0.5, -0.5], [0.4, 0.2]], [[0.2, 0.0], [0.1, 0.3]], 0.0)  # type: ignore[arg-type]
    with torch.inference_mode():
        top = deep.read(torch.eye(3)[None])[0]
        first = deep.layers[0](torch.eye(3)[None])[0]
    np.testing.assert_allclose(
        first, [[0.462117, 0.099668], [-0.051353, 0.351696], [0.119194, -0.078550]], atol=1e-6
    )
    np.testing.assert_allclose(
        top, [[0.179266, 0.201965], [-0.164172, 0.127615], [0.065942, 0.053783]], atol=1e-6
    )


DUAL_W = [  # i_s, f_s, i_l, f_l, candidate, o
    [0.6, 0.1],
    [0.2, -0.3],
    [0.1, 0.1],
    [-0.1, 0.2],
    [0.2, -0.1],
    [0.1, 0.1],
    [0.1, 0],
    [0, 0.1],
    [0.5, -0.2],
    [0.3, 0.1],
    [0.4, 0.2],
    [-0.2, 0.5],
]
DUAL_U = [
    [0.2, 0],
    [0, 0.2],
    [0.1, 0],
    [0, 0.1],
    [0.1, 0.1],
    [0.1, 0.1],
    [0.1, 0],
    [0, 0.1],
    [0.1, 0.2],
    [-0.3, 0.4],
    [0.3, -0.1],
    [0.1, 0.3],
]
DUAL_B = [0, 0, -1, -1, -1, -1, 3, 3, 0, 0, 0, 0]
BEFORE = (torch.tensor([[0.1, 0.2]]), torch.tensor([[0.3, -0.1]]), torch.tensor([[0.8, 0.5]]))


@pytest.mark.parametrize(
    ("combine", "hidden"), [("sum", [0.511049, 0.247709]), ("mix", [0.349096, 0.138196])]
)
def test_dual_memory_of_the_notes(combine: str, hidden: list[float]) -> None:
    cell = DualMemory(2, 2, combine)
    put(cell, DUAL_W, DUAL_U, DUAL_B)
    found = watched(cell, [[1.0, -0.5]], last=BEFORE)
    np.testing.assert_allclose(found["candidate"][0], [0.571670, 0.291313], atol=1e-6)
    np.testing.assert_allclose(found["gate.forget.short"][0], [0.280900, 0.235052], atol=1e-6)
    np.testing.assert_allclose(found["gate.forget.long"][0], [0.957303, 0.951200], atol=1e-6)
    np.testing.assert_allclose(found["cell.short"][0], [0.449432, 0.150199], atol=1e-6)
    np.testing.assert_allclose(found["cell.long"][0], [0.953003, 0.558612], atol=1e-6)
    np.testing.assert_allclose(found["hidden"][0], hidden, atol=1e-6)


def test_dual_memory_side_by_side() -> None:
    """With both memories behind one another the hidden state has 4 numbers, and every U takes 4."""
    cell = DualMemory(2, 2, "concat")
    wider = [[*row, 0.0, 0.0] for row in DUAL_U[:12]] + [[0, 0, 0.2, 0], [0, 0, 0, 0.2]]
    put(cell, [*DUAL_W, [0.1, 0.3], [0.2, -0.1]], wider, [*DUAL_B, 0, 0])
    last = (torch.tensor([[0.1, 0.2, 0, 0]]), *BEFORE[1:])
    found = watched(cell, [[1.0, -0.5]], last=last)
    np.testing.assert_allclose(
        found["gate.output"][0], [0.576885, 0.406127, 0.487503, 0.562177], atol=1e-6
    )
    np.testing.assert_allclose(
        found["hidden"][0], [0.243118, 0.060545, 0.361308, 0.284994], atol=1e-6
    )


@pytest.mark.parametrize(
    ("d", "h", "counts"),
    [(2, 2, (40, 60, 98)), (10, 16, (1728, 2592, 4816)), (32, 64, (24832, 37248, 72128))],
)
def test_parameters_of_the_dual_memory(d: int, h: int, counts: tuple[int, int, int]) -> None:
    size = lambda cell: sum(p.numel() for p in cell.parameters())  # noqa: E731
    two_biases = size(LSTM(d, h)) - 4 * h
    assert (two_biases, size(DualMemory(d, h)), size(DualMemory(d, h, "concat"))) == counts


@pytest.mark.parametrize(
    ("d", "h", "plain", "gated"),
    [(200, 128, 42_112, 168_448), (300, 512, 416_256, 1_665_024), (2, 3, 18, 72)],
)
def test_parameters_with_one_bias_and_as_torch_counts(
    d: int, h: int, plain: int, gated: int
) -> None:
    size = lambda cell: sum(p.numel() for p in cell.parameters())  # noqa: E731
    assert size(RNN(d, h)) == plain + h and size(LSTM(d, h)) == gated + 4 * h
    assert size(GRU(d, h)) == 3 * gated // 4 and size(GRUAfter(d, h)) == 3 * gated // 4 + 3 * h
    assert size(cells.get("lstm1997")(d, h)) == size(cells.get("coupled")(d, h)) == 3 * gated // 4
    assert size(cells.get("mgu")(d, h)) == gated // 2
    assert size(cells.get("peephole")(d, h)) == gated + 3 * h


def test_parameters_of_a_plain_recurrent_language_model() -> None:
    """language_models T18: 10,000 words, vectors of 100, 200 units; ours has a second bias, as torch's."""
    config = RecurrentConfig(width=100, units=200, layers=1)
    with torch.device("meta"):
        net = Net(10_000, cells.get("rnn"), config, {})
    assert sum(p.numel() for p in net.parameters()) == 3_070_200 + 200


def test_layer_norm_leaves_the_memory_alone() -> None:
    """f = 1, i = 0: a stored 2, 2, 2, 5 stays; what is shown is normalised: (-.57735, ..,
    1.73205)."""
    cell = LayerNormLSTM(1, 4)
    with torch.no_grad():
        cell.bias[:] = torch.tensor([-40.0] * 4 + [40.0] * 4 + [0.0] * 4 + [40.0] * 4)
        cell.weight_ih.zero_(), cell.weight_hh.zero_()
    last = (torch.zeros(1, 4), torch.tensor([[2.0, 2, 2, 5]]))
    found = watched(cell, np.zeros((3, 1)), last=last)
    np.testing.assert_allclose(found["cell"], [[2, 2, 2, 5]] * 3, atol=1e-5)
    np.testing.assert_allclose(
        np.arctanh(found["hidden"][-1]), [-0.57735, -0.57735, -0.57735, 1.73205], atol=1e-4
    )


def test_both_ways_shows_each_direction_in_the_order_of_the_text() -> None:
    torch.manual_seed(2)
    stack = Stack(GRU, 3, 4, 1, both_ways=True).eval()
    x_BTD, recorder = (
        torch.randn(1, 5, 3),
        Recorder((Edit("gate.update", {"layer": 1, "token": 3}, 0.0),)),
    )
    with torch.inference_mode():
        out = stack.read(x_BTD, recorder)[0].numpy()
    hidden = recorder.values(next(spec for spec in GRU.fields if spec.name == "hidden"))
    np.testing.assert_array_equal(np.concatenate(list(hidden), -1), out)
    # read from the end: nothing new at token 3 keeps the state of token 4
    np.testing.assert_array_equal(hidden[1, 3], hidden[1, 4])
    alone = watched(stack.backwards[0], x_BTD[0].flip(0))["hidden"][::-1]  # type: ignore[arg-type]
    np.testing.assert_array_equal(hidden[1, 4], alone[4])


def test_residual_layers_add_what_went_in() -> None:
    torch.manual_seed(3)
    stack = Stack(RNN, 3, 4, 2, residual=True).eval()
    x_BTD = torch.randn(1, 5, 3)
    with torch.inference_mode():
        first = stack.layers[0](x_BTD) + stack.skips[0](x_BTD)
        torch.testing.assert_close(stack.read(x_BTD), stack.layers[1](first) + first)


def test_recurrent_dropout_silences_the_same_units_at_every_step() -> None:
    """With W = 0 and U = 1 a silenced unit of the Elman cell never hears of the state before."""
    torch.manual_seed(4)
    stack = Stack(RNN, 1, 50, 1, recurrent_dropout=0.5, activation="relu").train()
    with torch.no_grad():
        w, u, biases = stack.layers[0].matrices()  # type: ignore[operator]
        w.zero_(), u.copy_(torch.eye(50)), biases[0].fill_(1.0), biases[1].zero_()
    h_TH = stack.read(torch.zeros(1, 5, 1))[0].detach()
    silenced = h_TH[1] == 1
    assert 10 < int(silenced.sum()) < 40
    assert (h_TH[:, silenced] == 1).all()
    # h = 2 h' + 1
    torch.testing.assert_close(h_TH[:, ~silenced][:, 0], torch.tensor([1.0, 3, 7, 15, 31]))
    assert (stack.eval().read(torch.zeros(1, 3, 1))[0, 2] == 3).all()


@pytest.mark.parametrize(
    ("start", "bound"),
    [("uniform", 0.1), ("xavier", math.sqrt(6 / (300 + 512))), ("he", math.sqrt(6 / 300))],
)
def test_starts_keep_to_their_bounds_gate_by_gate(start: str, bound: float) -> None:
    cell = LSTM(300, 512)
    initialise(cell, start)
    most = cell.matrices()[0].abs().max().item()
    assert 0.99 * bound < most <= bound
    assert not any(b.any() for b in cell.matrices()[2])


def test_orthogonal_blocks_keep_lengths_and_the_forget_bias_is_one_number() -> None:
    cell = LSTM(3, 8)
    initialise(cell, "orthogonal", forget_bias=1.0)
    _, u, biases = cell.matrices()
    for block in u.split(8):
        torch.testing.assert_close(block @ block.T, torch.eye(8), atol=1e-5, rtol=0)
    assert sum(biases)[8:16].tolist() == [1.0] * 8  # type: ignore[index]
    found = watched(cell, np.zeros((1, 3)))["gate.forget"]
    np.testing.assert_allclose(found, 0.7310586, atol=1e-6)  # sigmoid(1), not sigmoid(2)
    with pytest.raises(
        ValueError, match="start is torch, uniform, xavier, he, orthogonal, not 'best'"
    ):
        initialise(cell, "best")


# --- edits
# -----------------------------------------------------------------------------------------------------------------


@sampled("id", IDS, each=3)
def test_scaling_by_one_changes_nothing_and_freezing_holds(id: str) -> None:
    cell, x_TD = form(id, {}), np.random.default_rng(7).normal(size=(10, 5))
    plain, name = watched(cell, x_TD), cell.names[0]
    same = watched(cell, x_TD, (Edit(name, {}, 1.0, How.SCALE),))
    for field, values in plain.items():
        np.testing.assert_allclose(same[field], values, atol=2e-6, err_msg=field)
    held = watched(cell, x_TD, (Edit(name, {"token": (4, 8), "unit": (2, 4)}, how=How.FREEZE),))[
        name
    ]
    np.testing.assert_allclose(
        held[4:8, 2:4], np.broadcast_to(plain[name][3, 2:4], (4, 2)), atol=2e-6
    )
    np.testing.assert_allclose(held[:4], plain[name][:4], atol=2e-6)


def test_a_scaled_and_a_shifted_gate_by_hand() -> None:
    """Forget gate of unit 1 halved from token 2 on, input gate of unit 0 raised by .5 at token 1
    but never above 1."""
    cell, x_TD = (
        form("lstm", {}, 3, 2),
        np.random.default_rng(8).normal(size=(5, 3)).astype(np.float32),
    )
    edits = (
        Edit("gate.forget", {"unit": 1, "token": (2, None)}, 0.5, How.SCALE),
        Edit("gate.input", {"unit": 0, "token": 1}, 0.5, How.ADD),
    )
    found = watched(cell, x_TD, edits)
    w, u, biases = cell.matrices()
    h = c = np.zeros(2)
    for t, x in enumerate(x_TD.astype(np.float64)):
        a = (
            w.detach().double().numpy() @ x
            + u.detach().double().numpy() @ h
            + sum(b.detach().double().numpy() for b in biases)
        )
        i, f, g, o = s(a[:2]), s(a[2:4]), np.tanh(a[4:6]), s(a[6:])
        if t >= 2:
            f[1] /= 2
        if t == 1:
            i[0] = min(1.0, i[0] + 0.5)
        c = f * c + i * g
        h = o * np.tanh(c)
        np.testing.assert_allclose(found["cell"][t], c, atol=2e-6)
        np.testing.assert_allclose(found["hidden"][t], h, atol=2e-6)


def test_a_frozen_field_outside_a_loop() -> None:
    recorder = Recorder(
        (Edit("f", {"token": (2, None)}, how=How.FREEZE), Edit("g", {}, how=How.FREEZE))
    )
    value = np.arange(5.0)[:, None]
    assert recorder("f", value, ("token", "unit"))[:, 0].tolist() == [0, 1, 1, 1, 1]
    assert recorder("g", value, ("token", "unit"))[:, 0].tolist() == [0, 0, 0, 0, 0]
