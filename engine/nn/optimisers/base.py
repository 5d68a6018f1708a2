"""Optimiser: what the files of this folder give: a sentence, and torch's optimiser with the numbers of a plan."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch import nn, optim

from engine.nn.plan import Plan


@dataclass(frozen=True, slots=True)
class Optimiser:
    says: str
    make: Callable[[nn.Module, Plan], optim.Optimizer]
