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
