"""What clipping saves, and what it cannot."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from engine.analysis import recall


def test_clipping_changes_nothing_where_gradients_vanish() -> None:
    free, held = (recall.train(0.6, threshold, updates=15) for threshold in (0.0, 1.0))
    assert np.array_equal(free.loss_N, held.loss_N) and held.norm_N.max() < 1
    assert free.loss_N.mean() == pytest.approx(math.log(4), abs=0.05)  # a guess among four
    assert free.broken is None


def test_clipping_saves_a_training_whose_gradients_explode() -> None:
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
    """By autograd: the weights learn as from the last chunk alone, begun with the state that it is handed."""
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


def test_what_walls_cut_off_is_not_learned() -> None:
    assert recall.train(1.2, 1.0, 12, 200).right == 1
    assert recall.train(1.2, 1.0, 12, 200, chunk=4).right < 0.5
