"""Jacobians of one step and of many, against central differences and against what autograd finds over the whole
walk."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from engine.analysis import jacobians
from engine.core.registry import cells
from engine.core.tap import passthrough
from engine.nn.cells.base import InTorch
from tests.conftest import sampled
from tests.models.test_gradients import TEXT, made


def walk(model: Any, layer: int, tokens: Any) -> tuple[Any, Tensor, list[tuple[Tensor, ...]]]:
    """The cell, what its input adds at each token, and its states from the one before the first on."""
    x = model.net.embed(torch.from_numpy(tokens.ids)[None])
    for cell in model.net.layers[:layer]:
        x = cell(x)
    cell = model.net.layers[layer]
    a, now = cell.drive(x), InTorch(cell.names, passthrough, None)
    states = [tuple(x.new_zeros(1, n) for n in cell.sizes())]
    for t in range(len(tokens)):
        states.append(cell.step(cell.parts(), a[:, t], states[-1], now))
    return cell, a, states


def stepped(cell: Any, a: Tensor, t: int, state_S: Tensor) -> Tensor:
    parts = tuple(state_S[None].split(list(cell.sizes()), -1))
    after = cell.step(cell.parts(), a[:, t], parts, InTorch(cell.names, passthrough, None))
    return torch.cat(after, -1)[0]


@sampled("id", cells.ids(), each=3)
@torch.no_grad()
def test_a_step_by_central_differences(id: str) -> None:
    model, layer, by = made(id), 1, 2e-6
    tokens = model.tokens(TEXT[:9])
    with torch.enable_grad():  # else a cell goes on in float32
        cell, a, states = walk(model, layer, tokens)
    found = jacobians.steps(model, tokens, layer)
    for t in (0, 4, len(tokens) - 1):
        state_S = torch.cat(states[t], -1)[0]
        want = [
            (stepped(cell, a, t, state_S + by * e) - stepped(cell, a, t, state_S - by * e)) / 2 / by
            for e in torch.eye(len(state_S)).to(state_S)
        ]
        assert found[t].numpy() == pytest.approx(torch.stack(want, 1).numpy(), rel=1e-6, abs=1e-9)


@sampled("id", cells.ids(), each=3)
def test_a_product_is_the_jacobian_of_the_whole_span(id: str) -> None:
    model = made(id, layers=1)
    tokens = model.tokens(TEXT[:9])
    with torch.enable_grad():
        cell, a, states = walk(model, 0, tokens)

        def onwards(state_S: Tensor) -> Tensor:
            for t in range(3, len(tokens)):
                state_S = stepped(cell, a, t, state_S)
            return state_S

        start = torch.cat(states[3], -1)[0].detach()
        want: Any = torch.autograd.functional.jacobian(onwards, start)
    chain = jacobians.products(jacobians.steps(model, tokens, 0, span=(3, len(tokens))))
    assert chain[-1].numpy() == pytest.approx(want.numpy(), rel=1e-8, abs=1e-12)
    for n, made_HS in enumerate(jacobians.spans(model, tokens, 0, span=(3, len(tokens)))):
        assert made_HS.numpy() == pytest.approx(chain[n, : cell.width].numpy(), rel=1e-9, abs=1e-13)
    assert n == len(chain) - 1
    found = jacobians.spectrum(model, tokens, 0, 2, len(tokens) - 1)
    values = torch.linalg.svdvals(want).numpy()
    assert found.product_S == pytest.approx(values, rel=1e-6, abs=1e-12)
    units = cell.width
    assert found.hidden == pytest.approx(float(torch.linalg.matrix_norm(want[:units, :units], 2)))
    assert abs(np.prod(found.eigen_S)) == pytest.approx(float(np.prod(found.step_S)), abs=1e-9)
    assert abs(found.eigen_S).max() <= found.step_S[0] * (1 + 1e-9)


def test_a_part_goes_on_from_what_stands_before_and_a_span_has_a_length() -> None:
    model = made("gru")
    tokens = model.tokens(TEXT)
    whole = jacobians.steps(model, tokens, 1)
    from engine.models import gradients

    with torch.enable_grad():
        points = gradients.read(model, tokens[:12]).graph.points
    before = {"hidden": np.stack([points["hidden", i][1][-1].detach().numpy() for i in (0, 1)])}
    rest = jacobians.steps(model, tokens[12:], 1, before)
    assert rest.numpy() == pytest.approx(whole[12:].numpy(), rel=1e-9, abs=1e-13)
    for begin, end in ((3, 3), (-1, 2), (2, 99)):
        with pytest.raises(ValueError, match="a later one"):
            jacobians.spectrum(model, tokens, 0, begin, end)
