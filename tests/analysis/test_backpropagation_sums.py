"""The gradient of each matrix as a sum, and passes in chunks, against autograd on the weights themselves."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from engine.analysis import backpropagation
from engine.core.registry import cells
from engine.lessons.bptt import passes as backpropagation_passes
from engine.lessons.bptt import sums as backpropagation_sums
from tests.conftest import sampled
from tests.models.test_gradients import TEXT, loss_of, made


@sampled("id", cells.ids(), each=3)
def test_the_sums_are_the_gradients_of_the_matrices(id: str) -> None:
    model = made(id)
    tokens = model.tokens(TEXT[:12])
    for layer in (0, 1):
        found = backpropagation_sums.split(model, tokens, layer)
        w, u, _ = model.net.layers[layer].matrices()
        with torch.enable_grad():
            weights = [u, w, model.net.head.weight]
            want = torch.autograd.grad(loss_of(model, TEXT[:12]), weights)
        names = ("recurrent", "input", "output")
        assert set(found) == {*names} - ({"input"} if id == "layernorm_lstm" else set())
        for name, right in zip(names, want, strict=True):
            if name not in found:
                continue
            sum_ = found[name]
            assert sum_.whole_EH == pytest.approx(right.numpy(), rel=1e-8, abs=1e-11)
            assert sum_.share_QK.sum() == pytest.approx(1)
            assert not sum_.share_QK[0].any() and not np.triu(sum_.share_QK, 0).any()


def test_a_share_is_the_projection_of_the_gradient_of_one_loss() -> None:
    model = made("lstm", layers=1)
    tokens = model.tokens(TEXT[:12])
    found = backpropagation_sums.split(model, tokens, 0)["recurrent"]
    u = model.net.layers[0].matrices()[1]
    q, ids = 7, torch.from_numpy(tokens.ids)[None]
    with torch.enable_grad():
        loss = nn.functional.cross_entropy(model.net(ids)[0, q - 1], ids[0, q])
        (g,) = torch.autograd.grad(loss, u)
    want = float((g.numpy() * found.whole_EH).sum()) / found.norm**2
    assert found.share_QK[q].sum() == pytest.approx(want, rel=1e-8)
    with pytest.raises(ValueError, match="two tokens"):
        backpropagation_sums.split(model, tokens[:1], 0)


def test_accumulated_over_chunks_is_truncated_and_of_one_chunk_is_the_whole() -> None:
    model, rate, chunk = made("lstm", layers=1), 0.05, 4
    tokens = model.tokens(TEXT)
    count = len(tokens) - 1
    whole = backpropagation.update(model, tokens, rate)
    one = backpropagation_passes.passes(model, tokens, 10_000, rate)
    assert one.updates == 1
    for got in (one.each_Q, one.once_Q):
        assert got == pytest.approx(whole.after_Q, rel=1e-6, abs=1e-9)
    found = backpropagation_passes.passes(model, tokens, chunk, rate)
    assert found.handed_Q == pytest.approx(whole.before_Q, rel=1e-6)
    assert found.updates == -(-count // chunk)
    cut = backpropagation.truncated(model, tokens, chunk)[0]
    other, _ = backpropagation_passes._learned(model, tokens, chunk, None, rate, every=False)
    moved = model.net.layers[0].matrices()[1] - other.net.layers[0].matrices()[1]
    assert moved.detach().numpy() == pytest.approx(rate * cut / count, rel=1e-6, abs=1e-9)
    with pytest.raises(ValueError, match="at least one step"):
        backpropagation_passes.passes(model, tokens, 0, rate)


def test_a_reset_state_is_that_of_a_text_that_begins_there() -> None:
    model, chunk = made("gru"), 5
    tokens = model.tokens(TEXT)
    found = backpropagation_passes.passes(model, tokens, chunk, 0.1).reset_Q
    for start in (0, 5, 10):
        part = backpropagation.update(model, tokens[start : start + chunk + 1], 0.1).before_Q
        assert found[start + 1 : start + chunk + 1] == pytest.approx(part[1:], rel=1e-6)


def test_a_divergence_is_told_with_its_step() -> None:
    model = made("rnn", layers=1)
    model.net.float()
    found = backpropagation.update(model, model.tokens(TEXT), 1e38, steps=9)
    assert 0 < found.broke < 9 and not np.isfinite(found.after_Q).all()
    calm = backpropagation.update(model, model.tokens(TEXT), 1e-3, steps=3)
    once = backpropagation.update(model, model.tokens(TEXT), 1e-3)
    assert calm.broke == 0 and 0 < once.changed["head.weight"] < calm.changed["head.weight"]
    assert calm.after_Q.sum() < once.after_Q.sum() < once.before_Q.sum()
