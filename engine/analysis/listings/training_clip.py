"""Gradients clipped before there are any."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import Descent, drawn, noise

MOST = 5.0


def faulty(net: nn.Module, loss: Callable[[], Tensor]) -> None:
    optimiser = Descent(net.parameters(), lr=1)
    clip_grad_norm_(net.parameters(), 5.0)
    loss().backward()
    optimiser.step()


def repaired(net: nn.Module, loss: Callable[[], Tensor]) -> None:
    optimiser = Descent(net.parameters(), lr=1)
    loss().backward()
    clip_grad_norm_(net.parameters(), 5.0)
    optimiser.step()


def measured(program: Program) -> Mapping[str, float]:
    net, x = drawn(nn.Linear(3, 2)), 10 * noise(8, 3)
    before = nn.utils.parameters_to_vector(net.parameters()).detach()
    program(net, lambda: net(x).square().mean())
    after = nn.utils.parameters_to_vector(net.parameters()).detach()
    return {"length of the step": (after - before).norm().item()}


LISTING = Listing(
    "Clipped too early",
    "Right after the optimiser is made there are no gradients yet; torch finds nothing to clip and"
    " says nothing. Between backward and step it has something to shorten: the step is no longer"
    " than 5 times the rate.",
    faulty,
    repaired,
    measured,
)
