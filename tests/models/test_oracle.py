"""Oracle: the numbers of the recurrent model, computed again by somebody else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from engine.core.registry import cells
from engine.core.tap import Edit, Recorder, passthrough
from engine.core.trace import FieldSpec, Kind
from engine.models.neural import apart
from engine.models.recurrent import Net
from engine.nn.cells.config import RecurrentConfig
from engine.nn.cells.lstm import LSTM as LSTMLayer

Trained = Callable[[str], Any]
SENTENCE = "the old cat saw the small bird"
NAMES = tuple(spec.name for spec in LSTMLayer.fields)
LSTM_SPEC = tuple(FieldSpec(name, Kind.STATE, ("token", "unit"), "A number.") for name in NAMES)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def lstm_by_hand(
    x_TD: np.ndarray, w_4HD: np.ndarray, u_4HH: np.ndarray, b_4H: np.ndarray
) -> dict[str, np.ndarray]:
    """The six numbers of an LSTM, one step after the other, in float64; order of the rows i, f, g,
    o."""
    h = c = np.zeros(u_4HH.shape[1])
    rows = []
    for x in x_TD.astype(np.float64):
        i, f, g, o = np.split(w_4HD @ x + u_4HH @ h + b_4H, 4)
        i, f, g, o = sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o)
        c = f * c + i * g
        h = o * np.tanh(c)
        rows.append((i, f, g, o, c, h))
    return {
        name: np.stack(column) for name, column in zip(NAMES, zip(*rows, strict=True), strict=True)
    }


def lstm_weights(layer: LSTMLayer) -> tuple[np.ndarray, ...]:
    w, u, b, b2 = (p.detach().double().numpy() for p in layer.fused.parameters())
    return w, u, b + b2


@pytest.fixture
def layer() -> LSTMLayer:
    torch.manual_seed(1)
    return LSTMLayer(5, 7).eval()


def watched(
    layer: LSTMLayer, x_BTD: torch.Tensor, edits: tuple[Edit, ...] = ()
) -> dict[str, np.ndarray]:
    recorder = Recorder(edits)
    with torch.inference_mode():
        layer(x_BTD, recorder)
    return {f.spec.name: f.values for f in recorder.fields(LSTM_SPEC, {})}  # type: ignore[union-attr]


def test_lstm_layer_gates_by_hand(layer: LSTMLayer) -> None:
    x_BTD = torch.randn(1, 40, 5)
    ours, theirs = watched(layer, x_BTD), lstm_by_hand(x_BTD[0].numpy(), *lstm_weights(layer))
    for name in NAMES:
        np.testing.assert_allclose(ours[name], theirs[name], atol=2e-6, err_msg=name)


def test_lstm_layer_is_torch_s(layer: LSTMLayer) -> None:
    peer = torch.nn.LSTM(5, 7, batch_first=True)
    peer.load_state_dict(layer.fused.state_dict())
    x_BTD = torch.randn(3, 11, 5)
    with torch.inference_mode():
        theirs, (_, cell) = peer(x_BTD)
        torch.testing.assert_close(layer(x_BTD, passthrough), theirs)
        one = watched(layer, x_BTD[:1])
    np.testing.assert_allclose(one["hidden"], theirs[0].numpy(), atol=1e-6)
    np.testing.assert_allclose(one["cell"][-1], cell[0, 0].numpy(), atol=1e-6)


def test_lstm_scalar_trace_of_the_notes() -> None:
    """Weights [h, x, bias]: f .5 .5 1; i .4 .6 0; c .3 .9 0; o .2 .7 0; x = 1, -1, .5.

    First step by hand: i = s(.6) = .645656, f = s(1.5), g = tanh(.9) = .716298, c = i g = .462482,
    o = s(.7) = .668188, h = o tanh(c) = .668188 * .432105 = .288727.
    """
    cell = LSTMLayer(1, 1).eval()
    w, u, b, b2 = cell.fused.parameters()
    with torch.no_grad():
        w[:] = torch.tensor([[0.6], [0.5], [0.9], [0.7]])
        u[:] = torch.tensor([[0.4], [0.5], [0.3], [0.2]])
        b[:], b2[:] = torch.tensor([0.0, 1.0, 0.0, 0.0]), 0.0
    got = watched(cell, torch.tensor([[[1.0], [-1.0], [0.5]]]))
    np.testing.assert_allclose(got["hidden"][:, 0], [0.288727, 0.016300, 0.161495], atol=1e-6)
    np.testing.assert_allclose(got["cell"][:, 0], [0.462482, 0.047318, 0.282187], atol=1e-6)
    np.testing.assert_allclose(got["gate.input"][0, 0], 0.645656, atol=1e-6)


def test_lstm_an_edit_that_changes_nothing_walks_the_other_way_to_the_same_place(
    layer: LSTMLayer,
) -> None:
    x_BTD = torch.randn(1, 20, 5)
    plain = watched(layer, x_BTD)
    there = float(plain["gate.forget"][4, 2])
    edited = watched(layer, x_BTD, (Edit("gate.forget", {"token": 4, "unit": 2}, there),))
    for name in NAMES:
        np.testing.assert_allclose(edited[name], plain[name], atol=2e-6, err_msg=name)


def test_lstm_an_edited_gate_by_hand(layer: LSTMLayer) -> None:
    """Closing unit 2's forget gate at token 4 means c_4 = i_4 g_4 there, and everything after
    follows from it."""
    x_BTD = torch.randn(1, 9, 5)
    w, u, b = lstm_weights(layer)
    edited = watched(layer, x_BTD, (Edit("gate.forget", {"token": 4, "unit": 2}, 0.0),))
    h = c = np.zeros(7)
    for t, x in enumerate(x_BTD[0].double().numpy()):
        i, f, g, o = np.split(w @ x + u @ h + b, 4)
        i, f, g, o = sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o)
        if t == 4:
            f[2] = 0.0
        c = f * c + i * g
        h = o * np.tanh(c)
        np.testing.assert_allclose(edited["cell"][t], c, atol=2e-6)
        np.testing.assert_allclose(edited["hidden"][t], h, atol=2e-6)


def test_lstm_model_from_the_characters_to_the_probabilities(trained: Trained) -> None:
    """The whole model again in numpy from its saved weights: embedding, two layers, softmax."""
    model = trained("lstm")
    weights = {k: v.astype(np.float64) for k, v in model.weights().items() if k != "tokenizer"}
    trace = model.trace(SENTENCE)
    x_TD = weights["embed.weight"][trace.ids]
    for i in range(model.config.layers):
        part = f"layers.{i}.fused."
        bias = weights[part + "bias_ih_l0"] + weights[part + "bias_hh_l0"]
        found = lstm_by_hand(
            x_TD, weights[part + "weight_ih_l0"], weights[part + "weight_hh_l0"], bias
        )
        for name in NAMES:
            np.testing.assert_allclose(
                trace.field(name).values[i], found[name], atol=5e-6, err_msg=f"{name} of layer {i}"
            )
        x_TD = found["hidden"]
    logit_TV = x_TD @ weights["head.weight"].T + weights["head.bias"]
    p_TV = np.exp(logit_TV - logit_TV.max(1, keepdims=True))
    np.testing.assert_allclose(
        trace.field("probability").values, p_TV / p_TV.sum(1, keepdims=True), atol=2e-6
    )


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here: torch sees no CUDA device")
@pytest.mark.parametrize("id", ["lstm", "transformer"])
def test_the_gpu_gives_the_same_numbers(id: str, trained: Trained) -> None:
    model = trained(id)
    here = model.trace(SENTENCE)
    # of its own numbers: `to` moves a model, and this one is everybody's
    there = apart(model, "cuda").trace(SENTENCE)
    for name in here:
        np.testing.assert_allclose(
            there.field(str(name)).values,
            here.field(str(name)).values,
            atol=1e-4,
            err_msg=str(name),
        )


def test_parameters_of_a_plain_recurrent_language_model() -> None:
    """language_models T18: 10,000 words, vectors of 100, 200 units; ours has a second bias, as torch's."""
    config = RecurrentConfig(width=100, units=200, layers=1)
    with torch.device("meta"):
        net = Net(10_000, cells.get("rnn"), config, {})
    assert sum(p.numel() for p in net.parameters()) == 3_070_200 + 200
