"""Steps made linear, against autograd: each Jacobian, and the way back of losses through many steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from engine.analysis import jacobians
from engine.core.registry import cells
from engine.core.tap import passthrough
from engine.nn import linearised
from engine.nn.cells.base import InTorch
from tests.conftest import sampled

D, H, T, R = 6, 5, 7, 3


def made(id: str) -> tuple[Any, Tensor]:
    torch.manual_seed(5)
    cell = cells.get(id)(D, H).double()
    for p in cell.parameters():
        nn.init.normal_(p, std=0.5)
        p.requires_grad_(False)
    return cell, torch.randn(1, T, D, dtype=torch.float64)


@sampled("id", cells.ids(), each=3)
def test_every_step_and_the_way_back(id: str) -> None:
    cell, x_1TD = made(id)
    drawn = torch.randn(R, T, sum(cell.sizes()), dtype=torch.float64)
    with torch.enable_grad():
        a_TE = cell.drive(x_1TD)[0].requires_grad_()
        last: tuple[Any, ...] = tuple(
            torch.randn(1, n, dtype=torch.float64).requires_grad_() for n in cell.sizes()
        )
        now, states = InTorch(cell.names, passthrough, None), [last]
        for t in range(T):
            states.append(cell.step(cell.parts(), a_TE[t : t + 1], states[-1], now))
        before = [torch.cat(parts) for parts in zip(*states[:-1], strict=True)]
        after = torch.cat([torch.cat(parts) for parts in zip(*states[1:], strict=True)], -1)
        steps = linearised.steps(cell, a_TE, before)
        assert steps is not None
        want = [
            torch.autograd.grad((after * g).sum(), [a_TE, *last], retain_graph=True) for g in drawn
        ]
        rows = jacobians._by_rows(cell, a_TE, before)
    assert steps.linear.jacobians().numpy() == pytest.approx(rows.numpy(), rel=1e-9, abs=1e-12)
    parts = len(cell.state)
    back = steps.linear.back(drawn.view(R, T, parts, H).numpy())
    assert back.drive_RTE is not None
    for r, (by_a, *by_last) in enumerate(want):
        assert back.drive_RTE[r] == pytest.approx(by_a.numpy(), rel=1e-9, abs=1e-12)
        got = back.before_RPH[r]
        assert got == pytest.approx(torch.cat(by_last).numpy(), rel=1e-9, abs=1e-12)
    # in two parts, the later one first
    with torch.enable_grad():
        cut = [linearised.steps(cell, a_TE[s], [b[s] for b in before]) for s in (HEAD, TAIL)]
    head, tail = (one.linear for one in cut if one is not None)
    given = drawn.view(R, T, parts, H).numpy()
    behind = tail.back(given[:, TAIL])
    found = head.back(given[:, HEAD], behind.before_RPH)
    assert found.before_RPH == pytest.approx(back.before_RPH, rel=1e-9, abs=1e-12)
    both = np.concatenate([found.drive_RTE, behind.drive_RTE], 1)  # type: ignore[list-item]
    assert both == pytest.approx(back.drive_RTE, rel=1e-9, abs=1e-12)


HEAD, TAIL = slice(None, 4), slice(4, None)


def test_a_state_wider_than_the_cell_is_left_to_autograd_but_for_its_products() -> None:
    torch.manual_seed(5)
    cell: Any = cells.get("dual_memory")(D, H, combine="concat").double()
    for p in cell.parameters():
        nn.init.normal_(p, std=0.5)
        p.requires_grad_(False)
    a_TE = torch.randn(T, 7 * H, dtype=torch.float64)
    before = [torch.randn(T, n, dtype=torch.float64) for n in cell.sizes()]
    with torch.enable_grad():
        assert linearised.steps(cell, a_TE, before) is None
        made = linearised.chained(cell, a_TE, before)
    assert made is not None
    step_TSS = jacobians._by_rows(cell, a_TE, before)
    want_TSS = jacobians.products(step_TSS)
    for n, found_NS in enumerate(made):
        assert found_NS.numpy() == pytest.approx(want_TSS[n, : 2 * H].numpy(), rel=1e-9, abs=1e-12)
    assert n == T - 1
