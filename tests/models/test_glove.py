"""GloVe: the weight by hand, the gradient against autograd, AdaGrad by hand, planted structure."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from engine.models.base import train
from engine.models.glove import Config, Glove
from engine.nn import glove

TEXT = "\n".join(
    [
        "paris is a capital city",
        "london is a capital city",
        "orange is a sweet fruit",
        "apple is a sweet fruit",
    ]
    * 5
)


def small(
    v: int = 20, d: int = 4, seed: int = 0
) -> tuple[glove.Tables, list[glove.Tile], np.ndarray]:
    """Random counts of v words: tables that have already moved, tiles, and X (V, V)."""
    rng = np.random.default_rng(seed)
    x_VV = np.where(rng.random((v, v)) < 0.4, rng.gamma(1, 8, (v, v)), 0)
    tables = glove.start(v, d, seed)
    for table_VE in (tables.word_VE, tables.context_VE):
        table_VE += torch.from_numpy(rng.normal(size=table_VE.shape, scale=0.3)).float() * (
            table_VE != 1
        )
    row, column = np.nonzero(x_VV)
    return tables, glove.tiles(row, column, x_VV[row, column], tables.place_V, 10.0, 0.75), x_VV


def objective(
    w: torch.Tensor, c: torch.Tensor, b: torch.Tensor, a: torch.Tensor, x_VV: np.ndarray
) -> torch.Tensor:
    """J written out, every pair by itself."""
    total = torch.zeros((), dtype=torch.float64)
    for i, j in zip(*np.nonzero(x_VV), strict=True):
        x = float(x_VV[i, j])
        total = total + min(1.0, (x / 10) ** 0.75) * (w[i] @ c[j] + b[i] + a[j] - math.log(x)) ** 2
    return total


def test_the_weight() -> None:
    """(1/100)^.75 = .0316, (10/100)^.75 = .1778, (50/100)^.75 = .5946; 1 from 100 on; nothing for
    what was never seen."""
    np.testing.assert_allclose(
        glove.weight(np.array([0, 1, 10, 50, 100, 5000])),
        [0, 0.0316, 0.1778, 0.5946, 1, 1],
        atol=5e-5,
    )


def test_every_pair_is_in_one_tile() -> None:
    tables, tiles, x_VV = small(37)
    place_V = tables.place_V
    seen = np.zeros_like(x_VV)
    for tile in tiles:
        wide = tile.columns.stop - tile.columns.start
        rows, columns = (
            tile.rows.start + tile.at_P.numpy() // wide,
            tile.columns.start + tile.at_P.numpy() % wide,
        )
        assert rows.max() < tile.rows.stop
        seen[rows, columns] += np.exp(tile.log_P.numpy())
        np.testing.assert_allclose(
            tile.weight_P.numpy(),
            glove.weight(np.exp(tile.log_P.numpy().astype(float)), 10.0),
            rtol=1e-5,
        )
    np.testing.assert_allclose(seen[place_V][:, place_V], x_VV, rtol=1e-5)


def test_the_gradient_is_that_of_autograd() -> None:
    tables, tiles, x_VV = small()
    parts = [torch.from_numpy(p.astype(np.float64)).requires_grad_() for p in tables.parts()]
    w, c, b, a = parts
    j = objective(w, c, b, a, x_VV)
    j.backward()  # type: ignore[no-untyped-call]
    assert all(p.grad is not None for p in parts)
    word_VE, context_VE, loss = (
        torch.zeros_like(tables.word_VE),
        torch.zeros_like(tables.context_VE),
        0.0,
    )
    for tile in tiles:
        part, word_BE, context_BE = glove.gradients(tables, tile)
        loss += part
        word_VE[tile.rows] += word_BE
        context_VE[tile.columns] += context_BE
    assert loss == pytest.approx(float(j.detach()), rel=1e-5)
    place_V = torch.from_numpy(tables.place_V)
    want = [p.grad / 2 for p in parts if p.grad is not None]  # the factor 2 is left out
    for found, wanted in zip(
        (
            word_VE[place_V, :-2],
            context_VE[place_V, :-2],
            word_VE[place_V, -2],
            context_VE[place_V, -1],
        ),
        want,
        strict=True,
    ):
        torch.testing.assert_close(found.double(), wanted, rtol=1e-4, atol=1e-4)
    assert not word_VE[:, -1].any() and not context_VE[:, -2].any(), "the columns of ones stay"


def test_one_adagrad_step_by_hand() -> None:
    """One pair, X = e^2 below x_max: w = (.5), c = (.4), b = .1, a = -.2: error .2 + .1 - .2 - 2 =
    -1.9."""
    tables = glove.start(2, 1, 0)
    tables.word_VE[0], tables.context_VE[1] = (
        torch.tensor([0.5, 0.1, 1.0]),
        torch.tensor([0.4, 1.0, -0.2]),
    )
    f = (math.exp(2) / 10) ** 0.75
    tile = glove.Tile(
        slice(0, 2), slice(0, 2), torch.tensor([1]), torch.tensor([2.0]), torch.tensor([f])
    )
    assert glove.update(tables, tile, 0.05) == pytest.approx(f * 1.9**2, rel=1e-5)
    # the first step of AdaGrad is the rate itself, whatever the gradient: its square root is its
    # own length
    assert tables.word_VE[0].tolist() == pytest.approx([0.55, 0.15, 1.0], abs=1e-6)
    assert tables.context_VE[1].tolist() == pytest.approx([0.45, 1.0, -0.15], abs=1e-6)
    # second: error .55 * .45 + .15 - .15 - 2 = -1.7525; gradients of b: f * 1.9, then f * 1.7525
    first, second = f * 1.9, f * 1.7525
    glove.update(tables, tile, 0.05)
    assert float(tables.word_VE[0, 1]) == pytest.approx(
        0.15 + 0.05 * second / math.hypot(first, second), abs=1e-6
    )


def test_training_fits_the_logarithm_of_the_counts() -> None:
    tables, tiles, x_VV = small(12, 12)
    first = [glove.gradients(tables, tile)[0] for tile in tiles]
    losses = [m["loss"] for _, _, m in glove.train(tiles, tables, 1500, 0, 0.1, 0)]
    assert losses[-1] < 1e-3 * sum(first) / len(np.nonzero(x_VV)[0])
    w, c, b, a = tables.parts()
    row, column = np.nonzero(x_VV > 1)
    np.testing.assert_allclose(
        (w @ c.T + b[:, None] + a)[row, column], np.log(x_VV[row, column]), atol=0.15
    )


def test_words_of_the_same_company_are_alike() -> None:
    model = train(Glove, TEXT, Config(width=8, window=4, epochs=200))
    assert isinstance(model, Glove)
    paris, london, orange, apple = (
        model.vectors[model.vocab.index(w)] for w in ("paris", "london", "orange", "apple")
    )
    assert min(paris @ london, orange @ apple) > max(paris @ orange, london @ apple) + 0.1
    assert not model.vectors[:3].any(), "marks have no vector"
    assert [w for w, _ in model.nearest(paris, 1, ("paris",))] == ["london"]
