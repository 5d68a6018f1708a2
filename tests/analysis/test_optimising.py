"""Trainings: the noise scale of gradients against its definition and autograd, under- and overfitted on curves
made so, and what clipping saves and what it cannot."""

from __future__ import annotations

import math
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from engine.analysis import recall
from engine.analysis.optimising import noise_scale
from engine.analysis.optimising.fitting import fitting
from engine.analysis.optimising.noise_scale import Noise
from engine.core.registry import corpora, models
from engine.lessons.optimisers import early
from engine.models.neural import NeuralLanguageModel
from engine.runs.store import Recipe, digest
from engine.storage.run_folder import HISTORY
from engine.training import history
from engine.training.fit import fit
from tests.conftest import TEXT, shipped, together


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


N = np.arange(1, 101)
FALL = 4 * np.exp(-N / 15) + 1  # from 4.74 to 1.005
CURVES = {
    "fitted": (FALL, FALL + 0.1),
    "underfitted": (5 - 0.02 * N, 5 - 0.018 * N),  # both still fall
    "both high": (5 - 0.002 * N, 5 - 0.001 * N),
    "overfitted": (FALL, FALL + 0.0002 * N**2),
    "by heart": (FALL, np.maximum(FALL, 2.2)),
    "unstable": (FALL + 0.0003 * N**2, FALL + 0.0003 * N**2 + 0.1),
}


@together("kind", CURVES)
def test_made_curves(kind: str) -> None:
    train, held = CURVES[kind]
    every = N[9::10]
    found = fitting((N, train), (every, held[9::10]))
    assert found is not None
    wanted = {"both high": "underfitted", "by heart": "overfitted"}.get(kind, kind)
    assert found.verdict == wanted and found.both_high is (kind == "both high")
    for factor in (0.01, 100.0):  # bits or nats, pennies or pounds
        again = fitting((N, factor * train), (every, factor * held[9::10]))
        assert again is not None and again.verdict == wanted


def test_each_number_by_hand_or_too_little_to_judge() -> None:
    at = np.array([10, 20, 30, 40, 50])
    found = fitting((at, np.array([4.0, 2, 1, 0.5, 0.25])), (at, np.array([3.0, 2, 1.5, 1.6, 1.7])))
    assert found is not None and found.verdict == "overfitted" and found.late_rise and found.falls
    assert (found.best, found.start, found.whole) == (30, 4, 2.5)
    assert found.rise == pytest.approx(0.2) and found.gap == pytest.approx(1.45)
    assert found.late == pytest.approx(-0.1)  # the last fifth begins at step 40
    one, none = (N[:1], FALL[:1]), (N[:0], FALL[:0])
    assert fitting((N, FALL), one) is fitting((N, FALL), none) is fitting(none, (N, FALL)) is None
    lost = (N, np.where(N > 60, np.nan, FALL + 0.1))
    assert fitting((N, FALL), lost) == fitting((N, FALL), (N[:60], FALL[:60] + 0.1))


def test_real_trainings(tmp_path: Path) -> None:
    """Few lines and many steps are learned by heart; one step too small to move is not learned at all; and the net of
    the page on early stopping is what its page says."""
    text = corpora.get("reviews").text()[:3000]
    verdicts = []
    for name, more in (("long", {}), ("slow", {"rate": 1e-5})):
        config = models.get("gru").config_type(
            tokenizer="words", vocabulary=300, units=32, layers=1, width=16, dropout=0.0, decay=0.0, steps=48, batch=8,
            span=24, held_out_every=6, **{"rate": 0.02, **more},
        )  # fmt: skip
        list(fit(tmp_path / name, Recipe("gru", config, digest(text), 0), text))
        curves = history.read(tmp_path / name / HISTORY)
        found = fitting(curves["loss_nats"], curves["held_out_nats"])
        assert found is not None
        verdicts.append((found.verdict, found.both_high))
    assert verdicts == [("overfitted", False), ("underfitted", True)]
    whole = early.overfit(0, most=30)
    at = np.arange(1, 31)
    found = fitting((at, whole.train), (at, whole.held))
    assert found is not None and found.verdict == "overfitted" and found.best == whole.stop.best


def test_clipping_saves_what_explodes_and_changes_nothing_else() -> None:
    free, held = (recall.train(0.6, threshold, updates=15) for threshold in (0.0, 1.0))
    assert np.array_equal(free.loss_N, held.loss_N) and held.norm_N.max() < 1
    assert free.loss_N.mean() == pytest.approx(math.log(4), abs=0.05)  # a guess among four
    assert free.broken is None
    free = recall.train(1.6, 0.0, updates=8)
    assert free.broken is not None and free.broken > 0
    assert np.isfinite(free.loss_N[: free.broken]).all() and np.isnan(free.loss_N[-1])
    held = recall.train(1.6, 1.0)
    assert held.broken is None and held.norm_N.max() > 10
    assert held.right == 1 and held.loss_N[-1] < 0.01


def test_the_first_loss_by_hand() -> None:
    """The same weights and letters in numpy: before any update the two agree."""
    found = recall.train(0.9, 0.0, steps=5, updates=1)
    torch.manual_seed(recall.SEED)
    cell, readout = recall.RNN(recall.K + 1, recall.H, "relu"), torch.nn.Linear(recall.H, recall.K)
    recall.initialise(cell, "orthogonal")
    w, u = (m.detach().numpy() for m in cell.matrices()[:2])
    letters = torch.randint(
        recall.K, (recall.B,), generator=torch.Generator().manual_seed(recall.SEED)
    ).numpy()
    h = np.maximum(0, w[:, letters].T)
    for _ in range(4):
        h = np.maximum(0, h @ (0.9 * u).T + w[:, recall.K])
    logits = h @ readout.weight.detach().numpy().T + readout.bias.detach().numpy()
    logits -= logits.max(1, keepdims=True)
    nats = np.log(np.exp(logits).sum(1)) - logits[np.arange(recall.B), letters]
    assert found.loss_N[0] == pytest.approx(nats.mean(), rel=1e-5)


def test_walls_stop_the_gradient_and_not_the_state() -> None:
    # By autograd: the weights learn as from the last chunk alone, begun with the state that it is handed.
    x = torch.randn(3, 7, recall.K + 1, generator=torch.Generator().manual_seed(1))
    torch.manual_seed(0)
    cell = recall.RNN(recall.K + 1, 4, "relu")
    with torch.inference_mode(False), torch.enable_grad():
        x = x.clone()
        whole, cut = recall._last(cell, x, 7), recall._last(cell, x, 3)
        assert torch.allclose(cut, whole)
        state = cell(x[:, :6])[:, -1].detach()
        alone = cell(x[:, 6:], recall.passthrough, (state,))[:, -1]
        u = cell.matrices()[1]
        grads = [torch.autograd.grad(h.sum(), u)[0] for h in (whole, cut, alone)]
    assert torch.allclose(grads[1], grads[2]) and not torch.allclose(grads[0], grads[1])
    assert recall.train(1.2, 1.0, 12, 200).right == 1
    assert recall.train(1.2, 1.0, 12, 200, chunk=4).right < 0.5
