"""Check: the first steps of a recipe by our loop, and by plain torch from other first weights; both
judged on held-out text.

What      the same tokenizer, batches, optimiser, rate and clipping; torch's layers, a loop of
          twenty lines
Shapes    T = tokens of a window, N = tokens of a text
Differs   The batches are drawn by engine/nn/windows.py in both; everything after that is written
          twice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from engine.core.registry import models, optimisers, tokenizers
from engine.nn import windows
from engine.nn.loop import Plan, training
from engine.shipped.baselines.nets import net_of
from engine.text.tokenizers.base import passages, split

JUDGED = 65_536  # tokens
SCHEDULES: dict[
    str, Callable[[int, int, int], float]
] = {  # share of the rate at a step, after so many of warm-up, of so many
    "cosine": lambda step, warm, steps: (
        0.05 + 0.475 * (1 + math.cos(math.pi * (step - warm) / max(1, steps - warm)))
    ),
    "linear": lambda step, warm, steps: (steps + 1 - step) / (steps + 1 - warm),
}


@dataclass(frozen=True, slots=True)
class Point:
    """Held-out loss after a step, in nats per token."""

    step: int
    ours: float
    plain: float

    @property
    def ratio(self) -> float:
        return self.ours / self.plain


def check(
    model: str, config: Any, text: str, *, seed: int, steps: int, every: int, device: str = "cpu"
) -> Iterator[Point]:
    """One `Point` every so many of the first `steps` steps of a recipe, whose schedule stays that
    of the whole.  ValueError as `net_of`."""
    ours = _ours(model, config, text, seed, every, device)
    theirs = plain(model, config, text, seed, every, device=device)
    for (step, one), (_, other) in zip(ours, theirs, strict=True):
        yield Point(step, one, other)
        if step >= steps:
            return


def _ours(
    model: str, config: Any, text: str, seed: int, every: int, device: str = "cpu"
) -> Iterator[tuple[int, float]]:
    config = replace(config, held_out_every=every)
    for progress in models.get(model).fit(text, config, seed=seed, device=device):
        if progress.step % every == 0:
            yield progress.step, progress.metrics["held_out_nats"]


def plain(
    model: str,
    config: Any,
    text: str,
    seed: int,
    every: int,
    net: nn.Module | None = None,
    device: str = "cpu",
) -> Iterator[tuple[int, float]]:
    """(step, held-out nats) of plain torch; `net` where it starts from given weights."""
    if config.schedule not in SCHEDULES:
        raise ValueError(f"plain torch is not set up for the schedule {config.schedule}")
    optimiser = optimisers.get(config.optimiser)
    if optimiser.baseline is None:
        raise ValueError(f"plain torch is not set up for the optimiser {config.optimiser}")
    if config.bits:
        raise ValueError("plain torch is not set up to round weights; take bits=0")
    lines, kept = split(passages(text), seed)
    tokenizer = tokenizers.get(config.tokenizer).fit(lines, config.vocabulary)
    stream_N, held_N = tokenizer.stream(lines), tokenizer.stream(kept)
    if len(held_N) <= config.span:
        raise ValueError(
            f"what is held out of the text has {len(held_N)} tokens, too few to judge windows of"
            f" {config.span} by; give a longer text"
        )
    torch.manual_seed(seed + 1)
    net = net or net_of(model, config, np.bincount(stream_N, minlength=len(tokenizer.vocab)))
    starts = np.flatnonzero(
        stream_N[: max(1, len(stream_N) - config.span - 1)] == tokenizer.boundary
    )
    ids_N, plan = torch.from_numpy(stream_N), Plan.of(config)
    net.to(device)
    steppers = optimiser.baseline(net, plan)
    warm = min(config.warmup, max(1, config.steps // 10))
    with training(net):
        for step in range(1, config.steps + 1):
            share = (
                step / warm if step < warm else SCHEDULES[config.schedule](step, warm, config.steps)
            )
            pair = windows.echoed(
                windows.drawn(ids_N, starts, plan, seed, step), plan, config.echo, seed, step
            )
            x_BT, y_BT = (part.to(device) for part in pair)
            net.train()
            with torch.autocast(torch.device(device).type, torch.bfloat16, enabled=config.mixed):
                logit_BTV = net(x_BT)
            loss = F.cross_entropy(logit_BTV.float().flatten(0, 1), y_BT.flatten())
            for stepper in steppers:
                stepper.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(net.parameters(), config.clip)
            for stepper in steppers:
                for group in stepper.param_groups:
                    group["lr"] = config.rate * share
                stepper.step()
            if step % every == 0:
                yield step, _held_out(net, held_N, config.span)


@torch.no_grad()
def _held_out(net: nn.Module, held_N: np.ndarray, span: int) -> float:
    net.eval()
    ids_N = torch.from_numpy(held_N[: JUDGED + 1]).to(next(net.parameters()).device)
    span = min(span, len(ids_N) - 1)
    rows = (len(ids_N) - 1) // span
    x_BT, y_BT = ids_N[: rows * span].view(rows, span), ids_N[1 : rows * span + 1].view(rows, span)
    total = sum(
        F.cross_entropy(net(x).flatten(0, 1), y.flatten(), reduction="sum").item()
        for x, y in zip(x_BT.split(16), y_BT.split(16), strict=True)
    )
    return total / (rows * span)
