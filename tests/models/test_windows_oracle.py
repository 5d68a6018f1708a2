"""The models that see a window of tokens, computed once more in plain numpy."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from engine.core.registry import models
from engine.lessons.feedforward import windowed
from engine.models import feedforward
from tests.conftest import LINES, small, text_of


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(-1, keepdims=True))
    made: np.ndarray = e / e.sum(-1, keepdims=True)
    return made


def fed(*values: np.ndarray) -> feedforward.Net:
    """With these numbers: words, the hidden layer and its bias, the output and its."""
    (v, width), (units, wide) = values[0].shape, values[1].shape
    config = feedforward.Config(window=wide // width, width=width, units=units)
    net = feedforward.Net(v, config)
    parts = net.embed.weight, net.hidden.weight, net.hidden.bias, net.head.weight, net.head.bias
    with torch.no_grad():
        for part, numbers in zip(parts, values, strict=True):
            part.copy_(torch.from_numpy(numbers))
    return net.eval()


EMBED = np.array([[0.2, -0.1], [0.5, 0.3], [-0.4, 0.6]])
W1, B1 = np.array([[0.3, -0.2, 0.1, 0.4], [0.2, 0.5, -0.3, 0.1]]), np.array([0.1, -0.1])
W2, B2 = np.array([[0.6, -0.3], [0.1, 0.4], [-0.5, 0.2]]), np.array([0.0, 0.1, 0.2])


@pytest.mark.parametrize(
    ("words", "want"),
    [([1, 0], [0.319434, 0.343175, 0.337392]), ([0, 1], [0.392020, 0.312594, 0.295387])],
)
def test_two_words_by_hand(words: list[int], want: list[float]) -> None:
    """Specification, language models T26: x = [.5 .3 .2 -.1]; the first unit is
    tanh(.15 - .06 + .02 - .04 + .1) = tanh .17 = .168381.  The order of the words counts."""
    net = fed(EMBED, W1, B1, W2, B2)
    found = net(torch.tensor([words]))[0, -1].softmax(-1).detach().numpy()
    np.testing.assert_allclose(found, want, atol=1e-6)


def test_the_hidden_layer_the_logits_and_the_loss_by_hand() -> None:
    """Specification, language models T26: the third word comes next."""
    x = EMBED[[1, 0]].ravel()
    hidden = np.tanh(W1 @ x + B1)
    np.testing.assert_allclose(hidden, [0.168381, 0.079830], atol=1e-6)
    logits = fed(EMBED, W1, B1, W2, B2)(torch.tensor([[1, 0]]))[0, -1]
    np.testing.assert_allclose(logits.detach(), W2 @ hidden + B2, atol=1e-6)
    np.testing.assert_allclose(logits.detach(), [0.077080, 0.148770, 0.131775], atol=1e-6)
    loss = torch.nn.functional.cross_entropy(logits, torch.tensor(2))
    assert loss.item() == pytest.approx(1.086510, abs=1e-6)


def test_a_bias_outside_the_softmax_gives_no_distribution() -> None:
    net = fed(EMBED, W1, np.zeros(2), W2, B2)
    found = net(torch.tensor([[1, 0]]))[0, -1].softmax(-1).detach().numpy()
    np.testing.assert_allclose(found, [0.290254, 0.350889, 0.358857], atol=1e-6)
    assert (found + 0.1).sum() == pytest.approx(1.3)


def test_how_many_numbers_are_learned() -> None:
    """10,000 words of 60 numbers, 4 in the window, 50 units: 600,000 + 12,050 + 510,000."""
    config = feedforward.Config(window=4, width=60, units=50)
    net = feedforward.Net(10_000, config)
    assert sum(p.numel() for p in net.parameters()) == 1_122_050
    assert windowed.size(config, 10_000, 4).total == 1_122_050


@pytest.mark.parametrize("direct", [False, True])
def test_feed_forward_in_numpy(direct: bool) -> None:
    kind = models.get("feedforward")
    *_, last = kind.fit(text_of(kind), small(kind, window=3, direct=direct), seed=1)
    model = last.model
    assert model is not None
    trace = model.trace(LINES[4])
    w = {name: x.astype(float) for name, x in model.weights().items() if x.dtype.kind == "f"}
    n = model.config.window
    rows = [np.zeros(model.config.width)] * (n - 1) + [w["embed.weight"][i] for i in trace.ids]
    for t in range(len(trace.ids)):
        x = np.concatenate(rows[t : t + n])
        h = np.tanh(w["hidden.weight"] @ x + w["hidden.bias"])
        logits = w["head.weight"] @ h + w["head.bias"]
        if direct:
            logits = logits + w["direct.weight"] @ x
        np.testing.assert_allclose(trace.field("window").values[t].ravel(), x, atol=1e-6)
        np.testing.assert_allclose(trace.field("hidden").values[0, t], h, atol=1e-5)
        np.testing.assert_allclose(trace.field("probability").values[t], softmax(logits), atol=1e-5)


@pytest.mark.parametrize("kernel", [2, 3])
def test_convolutions_in_numpy(kernel: int) -> None:
    kind = models.get("convolution")
    *_, last = kind.fit(text_of(kind), small(kind, layers=3, kernel=kernel), seed=1)
    model = last.model
    assert model is not None
    trace = model.trace(LINES[4])
    w = {name: x.astype(float) for name, x in model.weights().items() if x.dtype.kind == "f"}
    x = w["embed.weight"][trace.ids]
    d = x.shape[1]
    for n in range(3):
        start = f"layers.{n}."
        own = {k.removeprefix(start): v for k, v in w.items() if k.startswith(start)}
        made = []
        for t in range(len(x)):
            a = own["filters.bias"].copy()
            for k in range(kernel):  # the last weight is that of the token itself
                back = t - (kernel - 1 - k) * 2**n
                if back >= 0:
                    a += own["filters.weight"][:, :, k] @ x[back]
            found, gate = np.tanh(a[:d]), 1 / (1 + np.exp(-a[d:]))
            np.testing.assert_allclose(trace.field("candidate").values[n, t], found, atol=1e-5)
            np.testing.assert_allclose(trace.field("gate.output").values[n, t], gate, atol=1e-5)
            y = x[t] + own["mix.weight"] @ (found * gate) + own["mix.bias"]
            y = (y - y.mean()) / np.sqrt(y.var() + 1e-5)
            made.append(y * own["norm.weight"] + own["norm.bias"])
        x = np.array(made)
        np.testing.assert_allclose(trace.field("hidden").values[n], x, atol=1e-4)
    logits = np.maximum(x, 0) @ w["head.weight"].T + w["head.bias"]
    np.testing.assert_allclose(trace.field("probability").values, softmax(logits), atol=1e-5)


@pytest.mark.parametrize(
    ("id", "settings", "reach"),
    [
        ("feedforward", {"window": 4}, 4),
        ("convolution", {"layers": 3, "kernel": 2}, 8),
        ("convolution", {"layers": 2, "kernel": 3}, 7),
    ],
)
def test_how_far_back_a_token_counts(id: str, settings: dict[str, int], reach: int) -> None:
    """A changed token moves the distributions of so many tokens, and no other."""
    kind = models.get(id)
    *_, last = kind.fit(text_of(kind), small(kind, **settings), seed=1)
    model = last.model
    assert model is not None
    texts = [f"{word} cat sat on the mat and the old dog sat on the log" for word in ("the", "a")]
    if id == "convolution":  # characters: the same number of them before the first that differs
        assert model.config.reach == reach
        texts = [f"{letter}he cat sat on the mat" for letter in "ts"]
    one, other = (model.trace(text).field("probability").values for text in texts)
    moved = np.flatnonzero(np.abs(one - other).max(-1) > 0)
    assert moved.tolist() == list(range(1, 1 + reach))
