"""LoRA: beside a frozen matrix a product of two narrow ones learns.

What      y = W x + s B A x with s = alpha / r; W is frozen, A begins at random, B at 0, so that the
          net begins as it was; merged, W' = W + s B A
Source    Hu et al., LoRA: Low-Rank Adaptation of Large Language Models, 2022, sec. 4.1
Shapes    A (r, in), B (out, r), W (out, in)
Differs   A begins as in the `peft` library, uniform (Kaiming), not normal as in the paper.  Queries,
          keys and values lie in one matrix here; each has a product of its own, as if they lay apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from engine.language.message import refusal
from engine.nn.attention import Attention
from engine.nn.feed_forward import FeedForward
from engine.nn.plan import Training
from engine.nn.tuning.base import Tuning

FIRST = "lora_"  # of the name of what is added, before that of the part
ALL = "all"
PARTS = ("query", "key", "value", "out", "up", "gate", "down")


class LowRank(nn.Module):
    """s B A x for the rows of a matrix from `start` on."""

    def __init__(self, width: int, start: int, rows: int, rank: int, alpha: float) -> None:
        super().__init__()
        self.start, self.rows, self.scale = start, rows, alpha / rank
        self.down = nn.Linear(width, rank, bias=False)
        self.up = nn.Linear(rank, rows, bias=False)
        nn.init.kaiming_uniform_(self.down.weight, a=math.sqrt(5))
        nn.init.zeros_(self.up.weight)

    def forward(self, x_BTD: Tensor) -> Tensor:
        found: Tensor = self.up(self.down(x_BTD))
        return found * self.scale

    def change(self) -> Tensor:
        """s B A (rows, width)."""
        return self.scale * self.up.weight @ self.down.weight


@dataclass(frozen=True, slots=True)
class Part:
    """Some rows of a matrix that have a name of their own.

    module  the name of the matrix in its net
    name    what it is for: query, key, value, out, up, gate, down
    """

    module: str
    name: str
    linear: nn.Linear
    start: int
    rows: int

    @property
    def most(self) -> int:
        """The largest rank that it can have."""
        return min(self.rows, self.linear.in_features)


def parts(net: nn.Module) -> Iterator[Part]:
    """The parts of attention and of feed-forward layers, in the order of the net."""
    for name, module in net.named_modules():
        found: list[tuple[str, nn.Linear | None, tuple[str, ...]]] = []
        if isinstance(module, Attention):
            if module.cross:
                found = [("ask", module.ask, ("query",)), ("offer", module.offer, ("key", "value"))]
            else:
                found = [("qkv", module.qkv, ("query", "key", "value"))]
            found.append(("out", module.out, ("out",)))
        elif isinstance(module, FeedForward):
            found = [(one, getattr(module, one), (one,)) for one in ("up", "gate", "down")]
        for own, linear, names in found:
            if linear is None:
                continue
            start = 0
            for part in names:
                rows = linear.out_features
                if isinstance(module, Attention) and own != "out":
                    heads = module.heads if part == "query" else module.groups
                    rows = heads * module.dim
                yield Part(f"{name}.{own}".lstrip("."), part, linear, start, rows)
                start += rows


def chosen(net: nn.Module, plan: Training) -> list[Part]:
    """ValueError with a sentence where there is nothing to choose, or the rank is too large."""
    wanted = set(plan.lora_targets.replace(",", " ").split())
    if strange := wanted - {ALL, *PARTS}:
        raise refusal(
            "LoRA has no target {strange!r}; there are {known}",
            strange=min(strange),
            known=[ALL, *PARTS],
        )
    found = [part for part in parts(net) if ALL in wanted or part.name in wanted]
    if not found:
        raise ValueError(
            "this network has no such matrices of attention or of feed-forward layers for LoRA; choose"
            " other targets, or tune=layers"
        )
    for part in found:
        if plan.lora_rank > part.most:
            raise refusal(
                "a rank of {plan.lora_rank} is larger than the matrix {part.module} ({part.name}) has:"
                " it is {part.rows} x {part.linear.in_features}; take at most {most}",
                most=min(one.most for one in found),
            )
    return found


def add(linear: nn.Module, given: tuple[Tensor, ...], out: Tensor) -> Tensor:
    """What its narrow products add to what a matrix gives: the same function for every matrix, which
    asks the one that called it."""
    for part in linear.children():
        if isinstance(part, LowRank):
            out.narrow(-1, part.start, part.rows).add_(part(given[0]))
    return out


def install(net: nn.Module, plan: Training) -> None:
    for part in chosen(net, plan):
        linear = part.linear
        if not any(isinstance(one, LowRank) for one in linear.children()):
            linear.register_forward_hook(add)
        made = LowRank(linear.in_features, part.start, part.rows, plan.lora_rank, plan.lora_alpha)
        linear.add_module(FIRST + part.name, made)


def learns(net: nn.Module, plan: Training) -> dict[str, nn.Parameter]:
    return {
        f"{name}.{own}": p
        for name, module in net.named_modules()
        if isinstance(module, LowRank)
        for own, p in module.named_parameters()
    }


@torch.no_grad()
def merge(net: nn.Module) -> bool:
    """Every W becomes W + s B A, and A and B go."""
    for linear in [module for module in net.modules() if isinstance(module, nn.Linear)]:
        for name, part in list(linear.named_children()):
            if isinstance(part, LowRank):
                linear.weight[part.start : part.start + part.rows] += part.change()
                delattr(linear, name)
    return True


TUNING = Tuning(
    "Beside each frozen matrix a product of two narrow ones learns (LoRA).",
    3,
    learns,
    install,
    merge,
)
