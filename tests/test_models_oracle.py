"""Oracle: the numbers of the recurrent and the attention model, computed again by somebody else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from engine.nn.attention import Attention
from engine.nn.cells.lstm import LSTM as LSTMLayer
from engine.tap import Edit, Recorder, passthrough
from engine.trace import FieldSpec, Kind

Trained = Callable[[str], Any]
SENTENCE = "the old cat saw the small bird"
NAMES = tuple(spec.name for spec in LSTMLayer.fields)
LSTM_SPEC = tuple(FieldSpec(name, Kind.STATE, ("token", "unit"), "A number.") for name in NAMES)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def lstm_by_hand(x_TD: np.ndarray, w_4HD: np.ndarray, u_4HH: np.ndarray, b_4H: np.ndarray) -> dict[str, np.ndarray]:
    """The six numbers of an LSTM, one step after the other, in float64; order of the rows i, f, g, o."""
    h = c = np.zeros(u_4HH.shape[1])
    rows = []
    for x in x_TD.astype(np.float64):
        i, f, g, o = np.split(w_4HD @ x + u_4HH @ h + b_4H, 4)
        i, f, g, o = sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o)
        c = f * c + i * g
        h = o * np.tanh(c)
        rows.append((i, f, g, o, c, h))
    return {name: np.stack(column) for name, column in zip(NAMES, zip(*rows, strict=True), strict=True)}


def lstm_weights(layer: LSTMLayer) -> tuple[np.ndarray, ...]:
    w, u, b, b2 = (p.detach().double().numpy() for p in layer.fused.parameters())
    return w, u, b + b2


@pytest.fixture
def layer() -> LSTMLayer:
    torch.manual_seed(1)
    return LSTMLayer(5, 7).eval()


def watched(layer: LSTMLayer, x_BTD: torch.Tensor, edits: tuple[Edit, ...] = ()) -> dict[str, np.ndarray]:
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


def test_lstm_an_edit_that_changes_nothing_walks_the_other_way_to_the_same_place(layer: LSTMLayer) -> None:
    x_BTD = torch.randn(1, 20, 5)
    plain = watched(layer, x_BTD)
    there = float(plain["gate.forget"][4, 2])
    edited = watched(layer, x_BTD, (Edit("gate.forget", {"token": 4, "unit": 2}, there),))
    for name in NAMES:
        np.testing.assert_allclose(edited[name], plain[name], atol=2e-6, err_msg=name)


def test_lstm_an_edited_gate_by_hand(layer: LSTMLayer) -> None:
    """Closing unit 2's forget gate at token 4 means c_4 = i_4 g_4 there, and everything after follows from it."""
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
        found = lstm_by_hand(x_TD, weights[part + "weight_ih_l0"], weights[part + "weight_hh_l0"], bias)
        for name in NAMES:
            np.testing.assert_allclose(trace.field(name).values[i], found[name], atol=5e-6, err_msg=f"{name} of layer {i}")
        x_TD = found["hidden"]
    logit_TV = x_TD @ weights["head.weight"].T + weights["head.bias"]
    p_TV = np.exp(logit_TV - logit_TV.max(1, keepdims=True))
    np.testing.assert_allclose(trace.field("probability").values, p_TV / p_TV.sum(1, keepdims=True), atol=2e-6)


def attend(x_TD: list[list[float]], heads: int) -> dict[str, np.ndarray]:
    """Attention with q = k = v = x and no output product, watched."""
    d = len(x_TD[0])
    part = Attention(d, heads).eval()
    with torch.no_grad():
        part.qkv.weight.copy_(torch.cat([torch.eye(d)] * 3))
        part.qkv.bias.zero_()
        part.out.weight.copy_(torch.eye(d))
        part.out.bias.zero_()
        recorder = Recorder()
        out = part(torch.tensor([x_TD]), recorder)[0]
    part_axes, pair = ("head", "token", "dim"), ("head", "query", "key")
    spec = [FieldSpec(n, Kind.STATE, part_axes, "A part.") for n in ("query", "key", "value")]
    spec += [FieldSpec("score", Kind.SCORE, pair, "A match."), FieldSpec("attention", Kind.ATTENTION, pair, "A share.")]
    found = {f.spec.name: f.values for f in recorder.fields(spec, {})}  # type: ignore[union-attr]
    return found | {"out": out.numpy()}


X = [[1.0, 0, 1, 0], [0, 1.0, 0, 1], [1.0, 1, 0, 0]]


def test_attention_of_the_notes() -> None:
    """Rows X, q = k = v = X, d = 4.  Row 2: scores (0, 2)/2 = 0, 1; softmax 1/(1+e) = .268941, e/(1+e) = .731059.

    Row 3: scores (1, 1, 2)/2 = .5, .5, 1; e^.5 = 1.648721, e = 2.718282; shares .274069, .274069, .451863.
    Its output: .274069 X_1 + .274069 X_2 + .451863 X_3 = .725931, .725931, .274069, .274069.
    """
    found = attend(X, 1)
    rows = [[1, 0, 0], [0.268941, 0.731059, 0], [0.274069, 0.274069, 0.451863]]
    np.testing.assert_allclose(found["attention"][0], rows, atol=1e-6)
    np.testing.assert_allclose(found["out"][2], [0.725931, 0.725931, 0.274069, 0.274069], atol=1e-6)
    assert np.isneginf(found["score"][0][np.triu_indices(3, 1)]).all()
    np.testing.assert_allclose(found["score"][0][2], [0.5, 0.5, 1.0], atol=1e-6)


def test_two_heads_of_the_notes() -> None:
    """Head 2 (columns 3 and 4), row 3: x = (0, 0), so all scores are 0 and each share is a third."""
    found = attend(X, 2)
    np.testing.assert_allclose(found["attention"][1][2], [1 / 3] * 3, atol=1e-6)
    # Head 1, last row sees all: x = (1, 1), scores (1, 1, 2)/sqrt 2; e^.707107 = 2.028115, e^1.414214 = 4.113250
    whole = 2 * 2.028115 + 4.113250
    np.testing.assert_allclose(found["attention"][0][2], [2.028115 / whole, 2.028115 / whole, 4.113250 / whole], atol=1e-6)


def test_attention_is_torch_s() -> None:
    torch.manual_seed(2)
    part = Attention(16, 4).eval()
    x_BTD = torch.randn(1, 13, 16)
    with torch.inference_mode():
        q, k, v = part.qkv(x_BTD).view(1, 13, 3, 4, 4).permute(2, 0, 3, 1, 4)
        theirs = part.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(1, 13, 16))
        torch.testing.assert_close(part(x_BTD, passthrough), theirs)
        torch.testing.assert_close(part(x_BTD, Recorder()), theirs, atol=2e-6, rtol=1e-5)


def test_transformer_attention_from_its_own_queries_and_keys(trained: Trained) -> None:
    """softmax(q k^T / sqrt K) over the visible keys, in float64, from the fields that the page shows."""
    trace = trained("transformer").trace(SENTENCE)
    q, k = (trace.field(n).values.astype(np.float64) for n in ("query", "key"))
    score = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    score[..., ~np.tri(len(trace.tokens), dtype=bool)] = -np.inf
    share = np.exp(score - score.max(-1, keepdims=True))
    share /= share.sum(-1, keepdims=True)
    np.testing.assert_allclose(trace.field("attention").values, share, atol=2e-6)


def test_transformer_watched_equals_unwatched(trained: Trained) -> None:
    """The fused kernel of training and the open sums of a trace give the same probabilities."""
    model = trained("transformer")
    tokens = model.tokens(SENTENCE)
    with torch.inference_mode():
        logit_TV = model.net(torch.from_numpy(tokens.ids)[None])[0]
    np.testing.assert_allclose(model.trace(SENTENCE).field("probability").values, logit_TV.softmax(-1).numpy(), atol=2e-6)


def test_a_closed_head_says_nothing(trained: Trained) -> None:
    """Setting a head's values to 0 equals taking its columns out of the output product."""
    model = trained("transformer")
    last = model.config.layers - 1
    edited = model.trace(SENTENCE, (Edit("value", {"layer": last, "head": 0}, 0.0),))
    weights = {k: v.copy() for k, v in model.weights().items()}
    width = model.config.width // model.config.heads
    weights[f"blocks.{last}.attention.out.weight"][:, :width] = 0.0
    without = type(model).from_weights(model.config, weights).trace(SENTENCE)
    np.testing.assert_allclose(edited.field("probability").values, without.field("probability").values, atol=2e-6)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here: torch sees no CUDA device")
@pytest.mark.parametrize("id", ["lstm", "transformer"])
def test_the_gpu_gives_the_same_numbers(id: str, trained: Trained) -> None:
    model = trained(id)
    here = model.trace(SENTENCE)
    there = type(model).from_weights(model.config, model.weights()).to("cuda").trace(SENTENCE)
    for name in here:
        np.testing.assert_allclose(there.field(str(name)).values, here.field(str(name)).values, atol=1e-4, err_msg=str(name))
