"""Where a recurrent net begins, by reading the texts in one piece; and the way back layer by layer, by autograd."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from engine.analysis import backpropagation
from engine.lessons.bptt import first_state
from engine.models import gradients
from engine.models.recurrent import RecurrentModel
from engine.nn.stack import to_torch
from tests.conftest import shipped
from tests.models.test_gradients import TEXT, made


@pytest.mark.parametrize("id", ["rnn", "lstm", "layernorm_lstm"])
def test_the_end_of_another_text_is_that_of_both_in_one_piece(id: str) -> None:
    model = made(id)
    model.net.float()
    tokens, other = model.tokens(TEXT), "a cat sat"
    before = model.tokens(other)
    found = first_state.begun(model, tokens, {"other": first_state.ended(model, other)})
    with torch.no_grad():
        ids = np.concatenate([before.ids, tokens.ids])
        both = model.net(torch.from_numpy(ids)[None])[0, len(before) : -1].log_softmax(-1)
        alone = model.net(torch.from_numpy(tokens.ids)[None])[0, :-1].log_softmax(-1)
    for name, logits in (("other", both), ("zeros", alone)):
        bits = -logits[range(len(tokens) - 1), tokens.ids[1:]].numpy() / np.log(2)
        assert found[name].bits_T[1:] == pytest.approx(bits, rel=1e-4, abs=1e-4)
    assert not found["zeros"].far_T.any() and found["other"].far_T[0] > 0


def test_what_is_drawn_has_its_deviation_and_is_the_same_again() -> None:
    model = made("lstm", units=400)
    state = first_state.drawn(model, 0.1)
    assert set(state) == {"hidden", "cell"} and state["cell"].shape == (2, 1, 400)
    assert float(state["hidden"].std()) == pytest.approx(0.1, rel=0.1)
    assert torch.equal(first_state.drawn(model, 0.1)["cell"], state["cell"])


@pytest.mark.parametrize(("id", "name"), [("gru", "hidden"), ("transformer", "residual")])
def test_the_way_back_layer_by_layer(id: str, name: str) -> None:
    model = made(id)
    tokens, q = model.tokens(TEXT), 7
    found = backpropagation.layers(model, tokens, q)
    trace = gradients.trace(model, TEXT, q - 1)
    want = [trace.field("gradient.input").values, *trace.field(f"gradient.{name}").values]
    assert found.shape == (3, q)
    for row, g_TH in zip(found, want, strict=True):
        assert row == pytest.approx(np.linalg.norm(g_TH[:q], axis=-1), rel=1e-5, abs=1e-9)
    for place in (0, len(tokens)):
        with pytest.raises(ValueError, match="nothing predicts"):
            backpropagation.layers(model, tokens, place)


def test_a_learned_state_costs_less_and_leaves_the_net() -> None:
    """And the loss of its lines by torch's own LSTM, from the same state."""
    model: RecurrentModel[Any] = shipped("lstm")
    lines = [
        "Once there was a king who had",
        "The old fox went to the river",
        "One day she found a small key",
    ]
    before = [p.clone() for p in model.net.parameters()]
    state = first_state.learned(model, [*lines, "short"], updates=15)
    assert all(torch.equal(a, b) for a, b in zip(before, model.net.parameters(), strict=True))
    ids_BT = torch.from_numpy(np.stack([model.tokens(line).ids[:13] for line in lines]))
    net: Any = model.net
    peer: Any = to_torch(net)

    def loss(h: torch.Tensor, c: torch.Tensor) -> float:
        read = peer(
            net.embed(ids_BT[:, :-1]),
            (h.expand(-1, 3, -1).contiguous(), c.expand(-1, 3, -1).contiguous()),
        )[0]
        return torch.nn.functional.cross_entropy(
            net.head(read).flatten(0, 1), ids_BT[:, 1:].flatten()
        ).item()

    with torch.no_grad():
        zero = torch.zeros_like(state["cell"])
        ours = first_state._loss(net, ids_BT, state).item()
        assert ours == pytest.approx(loss(state["hidden"], state["cell"]), rel=1e-5)
        assert ours < loss(zero, zero) - 0.05
    with pytest.raises(ValueError, match="no line"):
        first_state.learned(model, ["short"])
