"""Cost of a net: its parameters, and what one step of its training keeps in memory.

What      parameters   exact, of the net built without numbers (torch's meta device)
          activations  every tensor that the backward pass of one step needs, added up on a forward
                       pass without numbers, for the part of the batch that is read at a time; when
                       layers are computed twice, one layer and all inputs
          output       the gradient of the logits, 4 B T V: as large as the logits themselves
Source    Rajbhandari, Rasley, Ruwase & He, ZeRO: Memory Optimizations Toward Training Trillion
          Parameter Models, 2020, sec. 3
Shapes    B = rows of a batch that are read at a time, T = span, V = vocabulary or labels
Differs   Activations are added up for three short spans and carried on as a parabola, which
          attention makes exact.  The largest memory that ten trainings really took was 0.7 to 1.4
          times the estimate (0.7: pairs of sentences shorter than the span).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from engine.core.registry import optimisers
from engine.nn.plan import Plan
from engine.nn.tuning import base as tuning

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

SPANS = (6, 9, 12)

Logits = Callable[[int], Tensor]
"""Logits (B, T, V) of one step over a span of so many tokens, on the meta device."""


def memory(net: nn.Module, config: DataclassInstance, logits: Logits) -> tuple[int, dict[str, int]]:
    """(numbers that the optimiser keeps for each parameter, bytes by what they are for)."""
    plan = Plan.of(config)
    parameters = sum(p.numel() for p in net.parameters())
    learning = sum(p.numel() for p in tuning.learning(net, plan).values())
    kept = optimisers.get(plan.optimiser).kept(plan)
    return kept, {
        "weights": 4 * parameters * (2 if plan.bits else 1),
        "gradients": 4 * learning,
        "optimiser": 4 * kept * learning,
        "activations": count_held(net, config, logits),
        "output": 4 * count_rows(plan) * plan.span * logits(1).shape[-1],
    }


def count_held(net: nn.Module, config: DataclassInstance, logits: Logits) -> int:
    """Bytes of activations of one step."""
    plan, sizes = Plan.of(config), asdict(config)
    net.train()
    if plan.span <= SPANS[-1]:
        found = activations(net, logits, plan.span)
    else:
        found = round(
            parabola(SPANS, [activations(net, logits, span) for span in SPANS])(plan.span)
        )
    if plan.recompute:  # what goes into each layer, and one layer at a time
        layers = max(1, sizes.get("layers", 1))
        found = found // layers + 4 * layers * count_rows(plan) * plan.span * sizes["width"]
    return found


def count_rows(plan: Plan) -> int:
    """How many of the batch are read at a time."""
    return -(-plan.batch // plan.accumulate)


def blank(config: DataclassInstance, *shape: int) -> Tensor:
    """Ids (B, *shape) of one part of a batch, without numbers."""
    return torch.zeros((count_rows(Plan.of(config)), *shape), dtype=torch.long, device="meta")


def parabola(x_3: tuple[int, ...], y_3: list[int]) -> Callable[[float], float]:
    """The one through three points."""

    def at(x: float) -> float:
        total = 0.0
        for i, y in enumerate(y_3):
            others = [other for j, other in enumerate(x_3) if j != i]
            total += y * math.prod((x - other) / (x_3[i] - other) for other in others)
        return total

    return at


def activations(net: nn.Module, logits: Logits, span: int) -> int:
    """Bytes of what the backward pass of one step over `span` tokens needs, the weights left
    out."""
    seen: dict[int, Any] = {}
    weights = {p.untyped_storage()._cdata for p in net.parameters()}

    def keep(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage._cdata not in weights:
            seen[storage._cdata] = storage  # kept, so that no other takes its place
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        flat = logits(span).flatten(0, -2)
        F.cross_entropy(flat.float(), torch.zeros(len(flat), dtype=torch.long, device="meta"))
    return sum(storage.nbytes() for storage in seen.values())
