"""The page on a network: its board is told what a step of the first minute chooses, and no more; what stands below
it is what torch computes of the same numbers."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from engine.frame.blocks import Board, Rows, blocks_in
from engine.lessons.network import parts, small
from tests.conftest import together


def test_the_board_is_told_what_is_asked() -> None:
    part = parts.network
    (board,) = (b for b in blocks_in(part.blocks(asked="net_units=8-8")) if isinstance(b, Board))
    assert board.data["asked"] == {"net_units": "8-8"}
    assert board.data["scale"]["low"] == -1 and len(board.data["scale"]["dark"]) == 11
    (board,) = (b for b in blocks_in(part.blocks()) if isinstance(b, Board))
    assert board.data["asked"] == {}


@together("t", [0, 1])
def test_one_point_forward_and_back_is_that_of_torch(t: int) -> None:
    w = np.random.default_rng(3).normal(0, 1, (3, 3))
    held, x = torch.tensor(w, requires_grad=True), torch.tensor([0.5, -1.5], dtype=torch.float64)
    a = torch.tanh(held[:2, :2] @ x + held[:2, 2])
    z = (held[2, :2] @ a + held[2, 2])[None]
    target = torch.tensor([float(t)], dtype=torch.float64)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(z, target)
    (g,) = torch.autograd.grad(loss, held)
    found = small.passed(w, (0.5, -1.5), t)
    np.testing.assert_allclose(found.loss, loss.item(), rtol=1e-12)
    np.testing.assert_allclose(found.g, g.numpy(), atol=1e-12)
    np.testing.assert_allclose(small.differences(w, (0.5, -1.5), t), g.numpy(), atol=1e-8)


def test_two_linear_layers_are_one_matrix() -> None:
    (table,) = (b for b in blocks_in(parts.collapse.blocks()) if isinstance(b, Rows))
    for row in table.rows:
        assert row["sum by two layers"] == pytest.approx(row["sum by one matrix"], abs=1e-12)


def test_what_is_measured_while_it_learns() -> None:
    """With modules and an optimiser of torch; a unit is dead where its column has no gradient at any point."""
    found = small.learn("relu", 1.0, 60, 1)
    x, t = small.circles(1)
    draws = torch.Generator().manual_seed(1)
    parts_of: list[torch.nn.Module] = []
    for n, m in ((2, 8), (8, 8), (8, 8), (8, 8), (8, 1)):
        layer = torch.nn.Linear(n, m).double()
        torch.nn.init.xavier_uniform_(layer.weight, generator=draws)
        torch.nn.init.zeros_(layer.bias)
        parts_of += [layer, torch.nn.ReLU()]
    net = torch.nn.Sequential(*parts_of[:-1])
    optimiser = torch.optim.SGD(net.parameters(), lr=1.0)
    for step in range(61):
        optimiser.zero_grad()
        loss = torch.nn.functional.binary_cross_entropy_with_logits(net(x), t)
        loss.backward()
        if step % small.EVERY == 0:
            norms = [
                p.grad.norm().item() for p in net.parameters() if p.ndim == 2 and p.grad is not None
            ]
            np.testing.assert_allclose(
                found.norm[step // small.EVERY], norms, rtol=1e-8, atol=1e-12
            )
        if step < 60:
            optimiser.step()
    assert found.loss == pytest.approx(loss.item(), rel=1e-9)
    outputs = [net[: 2 * k + 2](x) for k in range(4)]
    np.testing.assert_allclose(
        found.dead[-1], [(a == 0).all(0).double().mean().item() for a in outputs]
    )


def test_the_presets_hold_what_they_are_called() -> None:
    dead = {}
    for name, chosen in parts.READY.items():
        found = small.learn(chosen["function"], chosen["deep_rate"], 300, 1)
        dead[name] = round(float((found.dead[-1] * small.DEEP).sum()))
        if "sigmoid" in name:
            assert found.norm[0, 0] < found.norm[0, -1] / 100 and found.loss > 0.69
        if "leaky" in name:
            assert found.right == small.POINTS
    assert dead == {
        "Four layers of sigmoids": 0,
        "ReLUs that die": 12,
        "The same with leaky ReLUs": 0,
    }
