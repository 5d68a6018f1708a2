"""Other methods on points, by what each can and cannot draw; dropout against its mean and torch."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from engine.analysis import other_methods as others


def test_points_are_what_they_are_called() -> None:
    x, y = others.points("xor", 500, 0.0, 1)
    assert (((x[:, 0] > 0) != (x[:, 1] > 0)) == (y == 1)).all() and abs(y.mean() - 0.5) < 0.1
    x, y = others.points("rings", 500, 0.0, 1)
    np.testing.assert_allclose(np.linalg.norm(x, axis=1), np.where(y, 1.2, 0.5))
    x, y = others.points("moons", 500, 0.0, 1)
    assert (np.abs(x) <= others.REACH).all()


@pytest.mark.parametrize("kind", ["xor", "rings", "moons"])
def test_what_each_method_draws(kind: others.Points) -> None:
    found = others.learned(kind, 0.05, 1, 8)
    assert tuple(found) == others.METHODS
    assert found["one neuron"].right < (0.95 if kind == "moons" else 0.75)
    for name in others.METHODS[1:]:
        assert found[name].right > 0.93, name
    assert found["a network"].size == 3 * 8 + 8 + 1
    # one neuron has one line: its places of 1 lie on one side of it, so each row changes once at most
    changes = np.abs(np.diff(found["one neuron"].border_SS, axis=1)).sum(1)
    assert changes.max() <= 1
    stump = others.learned(kind, 0.05, 1, 1)["a tree"]
    assert stump.size == 1 and stump.right < 0.95


def test_rows_run_from_above() -> None:
    border = others.learned("rings", 0.0, 1, 8)["an SVM"].border_SS
    assert border[others.SIDE // 2, others.SIDE // 2] == 0 and border[2, others.SIDE // 2] == 1
    upper = others.learned("moons", 0.0, 1, 8)["an SVM"].border_SS
    x, y = others.points("moons", 200, 0.0, 2)
    top = x[x[:, 1].argmax()]
    column = round((top[0] + others.REACH) / (2 * others.REACH) * (others.SIDE - 1))
    row = round((others.REACH - top[1]) / (2 * others.REACH) * (others.SIDE - 1))
    assert upper[row, column] == y[x[:, 1].argmax()]


def test_dropout_keeps_the_mean() -> None:
    h = np.array([1.0, -2.0, 0.5, 0.0])
    made = others.dropout(h, 0.25, 40_000, 3)
    assert set(np.unique(made[:, 0]).round(6)) == {0.0, 1.333333}
    np.testing.assert_allclose(made.mean(0), h, atol=0.02)
    assert (made[:, 0] == 0).mean() == pytest.approx(0.25, abs=0.01)
    np.testing.assert_array_equal(others.dropout(h, 0.0, 3, 3), np.tile(h, (3, 1)))
    peer = torch.nn.functional.dropout(torch.ones(40_000), 0.25)
    assert peer.unique().tolist() == pytest.approx([0, 4 / 3])
