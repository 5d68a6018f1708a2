"""Gradients as fields, against autograd and against central differences in float64."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from engine.analysis import backpropagation
from engine.core.registry import cells, models, tokenizers
from engine.core.tap import Edit, How, Recorder, passthrough
from engine.core.trace import Kind
from engine.models import gradients
from engine.models.walk import walk
from engine.nn.cells.base import InTorch
from tests.conftest import Patch, sampled

TEXT = "the keys to the cabinet were lost"
LINES = [TEXT, "a cat sat on the mat and was gone"]


def made(id: str, **settings: Any) -> Any:
    """A small untrained model in float64."""
    cls: Any = models.get(id)
    sizes = {"heads": 2, "context": 256} if id == "transformer" else {"units": 5}
    usual = {"tokenizer": "chars", "width": 6, "layers": 2}
    config = replace(cls.config_type(), **usual | sizes | settings)
    tokenizer = tokenizers.get("chars").fit(LINES, 40)
    torch.manual_seed(3)
    model: Any = cls(config, tokenizer, cls.build(config, len(tokenizer.vocab)))
    model.spec()  # its colour scales are of float32
    model.net.double()
    for p in model.net.parameters():
        nn.init.normal_(p, std=0.4)
    return model


def loss_of(model: Any, text: str, tap: Any = None) -> Tensor:
    ids = torch.from_numpy(model.tokens(text).ids)[None]
    logits = model.net(ids) if tap is None else model.net(ids, tap)
    return nn.functional.cross_entropy(logits[0, :-1], ids[0, 1:], reduction="sum")


@sampled("id", [*cells.ids(), "transformer"], each=3)
def test_every_field_against_central_differences(id: str) -> None:
    """A number moved by an edit, everywhere that it acts: the loss moves as the gradient says."""
    model = made(id)
    trace = gradients.trace(model, TEXT)
    names = [n for n in trace if n != "gradient.input"]
    assert names and all(trace.field(n).spec.kind is Kind.GRADIENT for n in names)
    rng = np.random.default_rng(0)
    step, seen = 1e-5, 0
    for name in names:
        field = trace.field(name)
        for _ in range(3):
            place = tuple(int(rng.integers(n)) for n in field.values.shape)
            where = dict(zip(field.axis_names, place, strict=True))
            moved = []
            for by in (step, -step):
                edit = Edit(name.removeprefix("gradient."), where, by, How.ADD)
                with torch.enable_grad():  # else a cell goes on in float32
                    moved.append(float(loss_of(model, TEXT, Recorder((edit,), fields=())).detach()))
            slope = (moved[0] - moved[1]) / 2 / step
            assert field.values[place] == pytest.approx(slope, rel=1e-6, abs=1e-8), name
            seen += 1
    assert seen >= 6


@sampled("id", cells.ids(), each=3)
def test_the_split_over_steps_is_the_gradient_of_the_weights(id: str) -> None:
    """All the uses of U together are the gradient that autograd has of U itself."""
    model = made(id)
    tokens = model.tokens(TEXT)
    whole = backpropagation.truncated(model, tokens)
    u = [layer.matrices()[1] for layer in model.net.layers]
    with torch.enable_grad():
        want = torch.autograd.grad(loss_of(model, TEXT), u)
    for got, right in zip(whole, want, strict=True):
        assert got == pytest.approx(right.numpy(), rel=1e-8, abs=1e-10)


@pytest.mark.parametrize("id", ["rnn", "lstm", "gru", "mgu", "gru_after"])
def test_a_term_is_what_one_use_alone_adds(id: str) -> None:
    """Its norm, with weights of their own at every step."""
    model = made(id, layers=1)
    tokens = model.tokens("the keys")
    found = backpropagation.rows(model, tokens)
    cell = model.net.layers[0]
    q, count = 6, len(tokens)
    ids = torch.from_numpy(tokens.ids)[None]
    for k in (0, 3, 5, 6):
        own = {name: part.detach().clone().requires_grad_() for name, part in cell.parts().items()}
        now = InTorch(cell.names, passthrough, None)
        x = model.net.embed(ids)
        a, last = cell.drive(x), tuple(x.new_zeros(1, n) for n in cell.sizes())
        for t in range(count):
            now.t = t
            parts = own if t == k else {n: p.detach() for n, p in own.items()}
            last = cell.step(parts, a[:, t], last, now)
        logit = model.net.head(torch.stack(now.rows["hidden"], 1))[0, q - 1]
        loss = nn.functional.cross_entropy(logit, ids[0, q])
        recurrent = [p for n, p in own.items() if n in ("u", "gates", "gate", "candidate")]
        grads = torch.autograd.grad(loss, recurrent, allow_unused=True)
        want = sum(float(g.square().sum()) for g in grads if g is not None) ** 0.5
        assert found.weights_LQK[0, q - 1, k] == pytest.approx(want, rel=1e-6, abs=1e-12)
    assert not found.weights_LQK[0, q - 1, q:].any()


@sampled("id", cells.ids(), each=3)
def test_rows_from_linear_steps_are_those_of_the_graph(id: str, monkeypatch: Patch) -> None:
    """Of two layers; walked in one go, in pieces, and followed along autograd's graph."""
    model = made(id)
    tokens = model.tokens(TEXT)
    pieces = walk(model, tokens.ids[:5])
    if pieces is not None:
        pieces = walk(model, tokens.ids[5:-1], None, pieces)
    every = [backpropagation.rows(model, tokens, first, None, pieces) for first in (1, 7)]
    every += [backpropagation.rows(model, tokens, first) for first in (1, 7)]
    monkeypatch.setattr(backpropagation, "walk", lambda *of: None)
    graph = [backpropagation.rows(model, tokens, first) for first in (1, 7)]
    for found, want in zip(every, graph * 2, strict=True):
        for name in ("state_LQK", "weights_LQK", "input_QK", "nats_Q"):
            got = getattr(found, name)
            assert got == pytest.approx(getattr(want, name), rel=1e-7, abs=1e-11), name


def test_rows_are_those_of_the_text_before() -> None:
    model = made("lstm")
    short, long = (backpropagation.rows(model, model.tokens(t)) for t in ("the ke", "the keys"))
    n = len(short.nats_Q)
    assert long.state_LQK[:, :n, :n] == pytest.approx(short.state_LQK[:, :, :n], rel=1e-9)
    last = backpropagation.rows(model, model.tokens("the keys"), n + 1)
    assert last.state_LQK == pytest.approx(long.state_LQK[:, n:], rel=1e-9)
    assert last.input_QK == pytest.approx(long.input_QK[n:], rel=1e-9)
    assert last.nats_Q == pytest.approx(long.nats_Q[n:])


def test_truncated_after_every_step_and_after_all() -> None:
    model = made("lstm", layers=1)
    tokens = model.tokens(TEXT)
    whole = backpropagation.truncated(model, tokens)[0]
    assert backpropagation.truncated(model, tokens, 10_000)[0] == pytest.approx(whole)
    # by hand: the same net, its states cut off from their past at the same places
    for chunk in (1, 4, 10):
        with torch.enable_grad():
            ids, state = torch.from_numpy(tokens.ids)[None], None
            total: Any = 0.0
            for start in range(0, len(tokens) - 1, chunk):
                stop = min(len(tokens) - 1, start + chunk)
                h, end = model.net.layers[0].carried(model.net.embed(ids[:, start:stop]), state)
                total = total + nn.functional.cross_entropy(
                    model.net.head(h)[0], ids[0, start + 1 : stop + 1], reduction="sum"
                )
                state = tuple(part.detach() for part in end)
            want = torch.autograd.grad(total, model.net.layers[0].matrices()[1])[0]
        got = backpropagation.truncated(model, tokens, chunk)[0]
        assert got == pytest.approx(want.numpy(), rel=1e-8, abs=1e-10)
    with pytest.raises(ValueError, match="at least one step"):
        backpropagation.truncated(model, tokens, 0)


def test_one_update_by_hand() -> None:
    model = made("rnn", layers=1)
    found = backpropagation.update(model, model.tokens(TEXT), 0.05)
    count = len(model.tokens(TEXT)) - 1
    weights = list(model.net.parameters())
    with torch.enable_grad():
        grads = torch.autograd.grad(loss_of(model, TEXT) / count, weights)
    assert found.norm == pytest.approx(float(sum(g.square().sum() for g in grads)) ** 0.5)
    assert found.before_Q.sum() == pytest.approx(float(loss_of(model, TEXT).detach()))
    with torch.no_grad():
        for w, g in zip(weights, grads, strict=True):
            w -= 0.05 * g
    assert found.after_Q.sum() == pytest.approx(float(loss_of(model, TEXT).detach()))
    assert found.after_Q.sum() < found.before_Q.sum()


def test_the_model_keeps_no_gradient_and_its_weights() -> None:
    model = made("lstm")
    before = {k: v.copy() for k, v in model.weights().items()}
    gradients.trace(model, TEXT)
    backpropagation.update(model, model.tokens(TEXT), 0.1)
    assert all(p.grad is None for p in model.net.parameters())
    assert all(np.array_equal(v, before[k]) for k, v in model.weights().items())


def test_one_loss_and_a_place_that_is_not_there() -> None:
    model = made("rnn")
    one = gradients.trace(model, TEXT, 5).field("gradient.hidden").values
    assert one[:, 5].any() and not one[:, 6:].any()
    for place in (-1, 400):
        with pytest.raises(ValueError, match="no prediction"):
            gradients.trace(model, TEXT, place)
    with pytest.raises(ValueError, match="at least one token"):
        gradients.trace(model, "")


def test_the_largest_singular_value_bounds_every_step() -> None:
    model = made("rnn", layers=1)
    tokens = model.tokens(TEXT)
    most = backpropagation.bound(model, 0)
    state = backpropagation.rows(model, tokens).state_LQK[0]
    q = len(tokens) - 2
    for k in range(q):
        assert state[q, k] <= state[q, k + 1] * most * (1 + 1e-9)
    with pytest.raises(TypeError, match="other ways back"):
        backpropagation.bound(made("lstm"), 0)


@pytest.mark.parametrize("id", ["rnn", "lstm", "gru_after", "transformer"])
def test_the_inputs_alone_are_those_of_the_rows(id: str) -> None:
    model = made(id)
    tokens = model.tokens(TEXT)
    want = backpropagation.rows(model, tokens).input_QK
    each = [[q] for q in range(1, len(tokens))]
    assert backpropagation.inputs(model, tokens, each) == pytest.approx(want, rel=1e-9, abs=1e-15)
    for q, row in enumerate(want, 1):
        assert row[:q].all() and not row[q:].any()
    # of a word: its losses together
    found = gradients.read(model, tokens)
    (g_1TD,) = gradients.differentiate(found, found.nats_RT[0, 4:8].sum(), [found.input])
    word = backpropagation.inputs(model, tokens, [[5, 6, 7, 8]])[0]
    assert word == pytest.approx(g_1TD[0].norm(dim=-1).numpy(), rel=1e-9, abs=1e-15)
    assert backpropagation.inputs(model, tokens, []).shape == (0, len(tokens))


@pytest.mark.parametrize("id", ["lstm", "gru", "transformer"])
def test_a_part_of_a_text_goes_on_from_what_stands_before(id: str) -> None:
    """The same gradients as of the whole text, in which nothing before the part is asked for."""
    model = made(id)
    tokens = model.tokens(TEXT)
    first = 12
    with torch.enable_grad():
        found = gradients.read(model, tokens[:first])
    points = found.graph.points
    layers = range(model.config.layers)
    if id == "transformer":
        before = {
            n: np.stack([points[n, i][1][0][0].detach().numpy() for i in layers])
            for n in ("key", "value")
        }
    else:
        before = {
            n: np.stack([points[n, i][1][-1].detach().numpy() for i in layers])
            for n in model.carries
        }
    rest = range(first + 1, len(tokens))
    want = backpropagation.inputs(model, tokens, [[q] for q in rest])[:, first:]
    got = backpropagation.inputs(model, tokens[first:], [[q - first] for q in rest], before)
    assert got == pytest.approx(want, rel=1e-8, abs=1e-14)
