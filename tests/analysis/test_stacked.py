"""A stack of layers: parameters of the specification and of torch, signal and gradient again in torch."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from engine.analysis.costs import stacked


def test_parameters_of_the_specification_and_of_torch() -> None:
    layers = stacked.measured(300, (512, 256, 128), False, False, steps=2)
    assert [layer.parameters for layer in layers] == [1_665_024, 787_456, 197_120]  # lstm B25
    pairs = zip((300, 512, 256), (512, 256, 128), strict=True)
    two_biases = [sum(p.numel() for p in nn.LSTM(d, h).parameters()) for d, h in pairs]
    assert [layer.cell + 4 * layer.units for layer in layers] == two_biases
    assert sum(two_biases) == 2_653_184
    more = stacked.measured(5, (5, 3), True, True, steps=2)
    assert [(one.skip, one.norm) for one in more] == [(0, 10), (15, 6)]


@pytest.mark.parametrize("residual", [False, True])
def test_signal_and_gradient_are_those_of_torchs_own_layers(residual: bool) -> None:
    d, units, steps = 4, (6, 3), 5
    found = stacked.measured(d, units, residual, residual, steps, seed=3)
    torch.manual_seed(3)
    net = stacked.Stacked(d, units, residual, residual)
    x, along, said = torch.randn(1, steps, d), torch.randn(units[-1]), []
    for n, (cell, h) in enumerate(zip(net.cells, units, strict=True)):
        w, u, biases = cell.matrices()
        peer = nn.LSTM(x.shape[2], h, batch_first=True)
        with torch.no_grad():
            peer.weight_ih_l0.copy_(w)
            peer.weight_hh_l0.copy_(u)
            peer.bias_ih_l0.copy_(sum(biases))
            peer.bias_hh_l0.zero_()
        made = peer(x)[0]
        if residual:
            skip = net.skips[n].weight
            made = made + x @ skip.T
            made = (made - made.mean(-1, keepdim=True)) / (
                made.var(-1, correction=0, keepdim=True) + 1e-5
            ).sqrt()
        made.retain_grad()
        said.append(made)
        x = made
    (x[0, -1] @ along).backward()
    for one, made in zip(found, said, strict=True):
        assert made.grad is not None
        assert one.spread == pytest.approx(made.std(correction=0).item(), rel=1e-4)
        assert one.gradient == pytest.approx(made.grad.norm().item(), rel=1e-4, abs=1e-7)


@pytest.mark.parametrize("bad", ["", "x", "5, -1", "0", "2000", "1.5", "1 " * 9, "²"])
def test_what_is_no_stack(bad: str) -> None:
    with pytest.raises(ValueError, match=r"\.$"):
        stacked.sizes(bad)
    assert stacked.sizes("8,4  2") == [8, 4, 2]
