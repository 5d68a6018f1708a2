"""Optimiser: what the files of this folder give: a sentence, and torch's optimiser with the numbers
of a plan."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch import nn, optim

from engine.nn.plan import Plan


@dataclass(frozen=True, slots=True)
class Optimiser:
    says: str
    make: Callable[[nn.Module, Plan], optim.Optimizer]
    kept: Callable[[Plan], int] = lambda plan: 2
    """Numbers that it keeps for each parameter."""
    guarded: bool = False
    """Whether a step does nothing where its attribute `found_inf`, a tensor (), is 1, as torch's
    fused steps do: then a GPU can be given the next step before this one's numbers are known."""
    baseline: Callable[[nn.Module, Plan], list[optim.Optimizer]] | None = None
    """The same steps by torch alone, where torch has them: what engine/shipped/baselines trains
    with."""
