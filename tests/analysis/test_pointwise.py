"""The feed-forward part as convolutions: torch's own conv1d finds what the shipped Transformer finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from engine.analysis import pointwise
from engine.nn.feed_forward import FeedForward
from engine.runs.store import SHIPPED, RunStore

TEXT = "The old captain looked at the grey sea and said that he would"


def test_the_shipped_transformer_as_torch_convolves() -> None:
    """With nn.Conv1d that was given the weights, layer by layer, to 1e-5 of numbers up to 30."""
    store = RunStore(SHIPPED)
    model: Any = store.load(store.find("transformer"))
    trace = model.trace(TEXT, fields=pointwise.FIELDS)
    assert model.tower.design.layers == 5
    for layer in range(5):
        found = pointwise.both(model, trace, layer)
        assert found.dense_TD.shape == (len(trace.tokens), 384)
        assert found.apart < 1e-5 * max(1.0, np.abs(found.dense_TD).max())
        part = model.tower.blocks[layer].feed_forward
        up, down = nn.Conv1d(384, 1536, 1), nn.Conv1d(1536, 384, 1)
        for slid, dense in ((up, part.up), (down, part.down)):
            slid.weight.data = dense.weight.data[..., None]
            slid.bias.data = dense.bias.data
        x_TD = torch.from_numpy(trace.field("residual.middle").values[layer].copy())
        with torch.no_grad():
            read_TD = model.tower.blocks[layer].norm_2(x_TD)
            want_DT = down(nn.functional.gelu(up(read_TD.T[None])))[0]
        np.testing.assert_allclose(found.convolved_TD, want_DT.T.numpy(), atol=1e-5)


@pytest.mark.parametrize("id", ["transformer", "bert"])
def test_norms_before_and_after(id: str, trained: Callable[[str], Any]) -> None:
    model = trained(id)
    trace = model.trace(TEXT, fields=pointwise.FIELDS)
    for layer in range(model.depth):
        assert pointwise.both(model, trace, layer).apart < 1e-5


@pytest.mark.parametrize("activation", ["relu", "gelu", "swiglu", "geglu"])
@pytest.mark.parametrize("wide", [1, 3, 5])
def test_wider_kernels_with_zeros_beside_the_middle_find_the_same(
    activation: str, wide: int
) -> None:
    torch.manual_seed(0)
    part, x_TD = FeedForward(6, 10, activation), torch.randn(7, 6)
    with torch.no_grad():
        np.testing.assert_allclose(
            pointwise.convolved(part, x_TD, wide).numpy(), part(x_TD[None])[0].numpy(), atol=1e-6
        )


def test_counts_by_hand() -> None:
    """6 to 10 to 6: 60 + 10 + 60 + 6 over one token, three times the weights over three; two layers
    of three tokens see five."""
    part = FeedForward(6, 10, "relu")
    assert pointwise.learned(part, 1) == 136 == sum(p.numel() for p in part.parameters())
    assert pointwise.learned(part, 3) == 3 * 120 + 16
    assert pointwise.reads(1) == 1 and pointwise.reads(3) == 5


def test_what_a_wider_kernel_would_mix() -> None:
    """With weights beside the middle one too, a token reaches its neighbours: by torch's gradient."""
    first, second = nn.Conv1d(3, 4, 3, padding=1), nn.Conv1d(4, 3, 3, padding=1)
    x_DT = torch.randn(1, 3, 11, requires_grad=True)
    second(first(x_DT))[0, :, 5].sum().backward()  # type: ignore[no-untyped-call]
    assert x_DT.grad is not None
    assert int((x_DT.grad[0].abs().sum(0) > 0).sum()) == pointwise.reads(3)
