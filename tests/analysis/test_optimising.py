"""The noise scale of gradients, against its definition and against autograd."""

from __future__ import annotations

import math
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from engine.analysis.optimising import noise_scale
from engine.analysis.optimising.noise_scale import Noise
from engine.models.neural import NeuralLanguageModel
from tests.conftest import TEXT, shipped


def test_the_noise_scale_of_gradients_with_a_known_one() -> None:
    """|G|^2 = 4, tr S = 3 * 5 = 15; and the estimate of the lengths at two sizes of a batch, which is
    how the paper writes it."""
    chance = np.random.default_rng(0)
    g_NP = np.r_[2.0, np.zeros(14)] + chance.normal(size=(4096, 15))
    noise = Noise(g_NP @ g_NP.T, np.zeros(4096), 15)
    assert noise.signal == pytest.approx(4, rel=0.05)
    assert noise.spread == pytest.approx(15, rel=0.05)
    assert noise.scale == pytest.approx(15 / 4, rel=0.1)
    small_b, big_b = 1, 64
    short, long = noise.length(small_b), noise.length(big_b)
    signal = (big_b * long - small_b * short) / (big_b - small_b)
    spread = (short - long) / (1 / small_b - 1 / big_b)
    assert spread / signal == pytest.approx(noise.scale, rel=0.1)
    assert noise.length(16) == pytest.approx(noise.signal + noise.spread / 16, rel=0.05)
    few = Noise(g_NP[:16] @ g_NP[:16].T, np.zeros(16), 15)
    a, b = g_NP[:8].mean(0), g_NP[8:16].mean(0)
    assert few.cosine(8) == pytest.approx(a @ b / np.linalg.norm(a) / np.linalg.norm(b))
    assert Noise(np.eye(4), np.zeros(4), 4).scale == math.inf


@pytest.fixture(scope="module")
def run() -> NeuralLanguageModel[Any]:
    model = shipped("lstm_small")
    assert isinstance(model, NeuralLanguageModel)
    return model


def test_the_gradients_of_windows_are_those_of_autograd(run: NeuralLanguageModel[Any]) -> None:
    """By `backward` on a copy of the net; the mean of the windows' is the batch's (rnn E17), and the
    run stays as it is."""
    text = TEXT * 8
    ids = noise_scale.windows(run, text, 4, 16, 0)
    before = deepcopy(run.net.state_dict())
    noise = noise_scale.measure(run, text, 4, 16)
    net = deepcopy(run.net)
    found = []
    for part in [*ids.split(1), ids]:
        net.zero_grad()
        for p in net.parameters():
            p.requires_grad_(True)
        F.cross_entropy(net(part[:, :-1]).flatten(0, 1), part[:, 1:].flatten()).backward()
        found.append(torch.cat([p.grad.flatten() for p in net.parameters() if p.grad is not None]))
    g_NP = torch.stack(found[:4]).double()
    np.testing.assert_allclose(noise.products, (g_NP @ g_NP.T).numpy(), rtol=1e-4)
    np.testing.assert_allclose(g_NP.mean(0), found[4], atol=1e-6)
    assert all(torch.equal(a, b) for a, b in zip(before.values(), run.net.state_dict().values()))
    with pytest.raises(ValueError, match="tokens"):
        noise_scale.windows(run, "ab", 4, 16, 0)
