"""Training loop: draw a batch, go back from its loss to the gradients, cut them, take a step;
again.

What      loss = mean cross-entropy in nats per token; each step draws its batch from (seed, step)
          alone
          engine/nn/windows.py      what a batch is
          engine/nn/clipping/       what is cut off a gradient that is too large
          engine/nn/optimisers/     how a gradient becomes a step
          engine/nn/schedules/      how large the steps are while training goes on
          engine/nn/rounding.py     weights in few bits, read with while they are learned
          engine/nn/ranks.py        how several processes share one training
          engine/core/runtime.py    where the memory of a step goes
Source    Rumelhart, Hinton & Williams, Learning Representations by Back-Propagating Errors, 1986; a
          batch in parts and a scaled loss: Micikevicius et al., Mixed Precision Training, 2018,
          sec. 3.2
Shapes    N = tokens of the stream, B = windows in a batch, T = tokens in a window, V = vocabulary
Differs   As batch and dropout of a step depend on (seed, step) only, a run that goes on from a
          checkpoint takes the same steps as one that never stopped.  The numbers of a step come
          back from a GPU once, all together.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from engine.core import runtime
from engine.core.registry import clippings, optimisers, schedules
from engine.nn import checkpoint, ranks, recompute, windows
from engine.nn.divergence import Diverged, where
from engine.nn.plan import Plan
from engine.nn.rounding import Rounding

Arrays = checkpoint.Arrays
Loss = Callable[[Tensor, Tensor, Tensor], Tensor]


@dataclass(frozen=True, slots=True)
class Step:
    step: int
    metrics: dict[str, float]
    checkpoint: Callable[[], Arrays]  # all that `resume` needs, of this step


def train(
    net: nn.Module,
    stream_N: np.ndarray,
    held_out_N: np.ndarray,
    plan: Plan,
    *,
    seed: int,
    device: str,
    boundary: int,
    resume: Mapping[str, np.ndarray] | None = None,
    stateful: bool = False,
    passages: bool = False,
    echo: float = 0.0,
) -> Iterator[Step]:
    """Train `net` (ids (B, T) -> logits (B, T, V)) in place, reporting every step; `stateful`,
    `passages`, `echo`: engine/nn/windows.py."""
    ids_N = torch.from_numpy(np.ascontiguousarray(stream_N))
    starts = np.flatnonzero(stream_N[: max(1, len(stream_N) - plan.span - 1)] == boundary)

    def drawn(step: int) -> windows.Pair:
        return windows.echoed(
            windows.drawn(ids_N, starts, plan, seed, step), plan, echo, seed, step
        )

    draw: Callable[[int], windows.Pair] = drawn
    if passages:
        draw = partial(windows.Passages(stream_N, plan, boundary).draw, seed)
    return descend(
        net,
        draw,
        plan,
        seed=seed,
        device=device,
        resume=resume,
        tracks=windows.Tracks(ids_N, plan) if stateful else None,
        judge=lambda: {"held_out_nats": held_out(net, held_out_N, plan, device)},
    )


def descend(
    net: nn.Module,
    draw: Callable[[int], windows.Pair],
    plan: Plan,
    *,
    judge: Callable[[], dict[str, float]],
    seed: int,
    device: str,
    resume: Mapping[str, np.ndarray] | None = None,
    loss_of: Loss | None = None,
    tracks: windows.Tracks | None = None,
    axis: int = 0,
) -> Iterator[Step]:
    """Train `net` (B, T, ..) -> logits (B, T, V) in place.

    draw     input and targets (B, T) of a step, from the number of the step alone; a target of -100
             does not count
    judge    what to report of text that is held out
    loss_of  what to make of the net's answer, its targets and those of the whole batch, where it is
             not cross-entropy alone
    tracks   draws instead, and carries a state from step to step
    axis     of the input along which the examples lie
    """
    net.to(device).train()
    if plan.recompute:
        recompute.switch_on(net)
    kind, parameters, loss_of = (
        torch.device(device).type,
        list(net.parameters()),
        loss_of or partial(nats, smoothing=plan.smoothing),
    )
    optimiser = optimisers.get(plan.optimiser).make(net, plan)
    schedule, clipping = schedules.get(plan.schedule)(plan), clippings.get(plan.clipping)(plan.clip)
    half = half_of(kind)
    scale, rounding = Scale(kind, plan.mixed and half == torch.float16), Rounding(net, plan)
    parts: dict[str, checkpoint.Varies] = {
        "schedule": schedule,
        "clipping": clipping,
        "scale": scale,
    }
    if tracks is not None:
        parts["tracks"], draw = tracks, tracks.draw
    first = checkpoint.restore(resume, net, optimiser, parts) if resume else 0
    ranks.same(net)

    def read(x: Tensor, y_BT: Tensor, whole_BT: Tensor, rows: slice) -> Tensor:
        with torch.autocast(kind, half, enabled=plan.mixed):
            return loss_of(tracks.read(net, x, rows) if tracks else net(x), y_BT, whole_BT)

    with training(net, plan.mixed):
        for step, rate in ranks.steps(first, plan.steps, schedule.rate):
            began = time.perf_counter()
            torch.manual_seed((seed * 1_000_003 + step) * ranks.count() + ranks.rank())  # dropout
            for group in optimiser.param_groups:
                group["lr"] = rate
            x, y_BT = (part.to(device) for part in draw(step))
            optimiser.zero_grad(set_to_none=True)
            loss = torch.zeros((), device=device)
            inputs = [
                (x.narrow(axis, rows.start, rows.stop - rows.start), y_BT[rows], y_BT, rows)
                for rows in shares(len(y_BT), plan.accumulate)
            ]
            with rounding.at(step):
                for given in inputs:
                    part = read(*given)
                    scale.scale(part).backward()
                    loss += part.detach()
            ranks.sum_up(parameters, loss)
            scale.unscale_(optimiser)
            found, before, after = torch.stack([loss, *clipping(parameters)]).tolist()
            if not math.isfinite(found) or not (math.isfinite(before) or scale.is_enabled()):
                if ranks.rank():
                    continue  # rank 0 says what happened, and that this was the last step
                with ranks.between():
                    raise Diverged(step, rate, where(net, read, inputs))
            scale.step(optimiser)
            scale.update()
            metrics = {
                "loss_nats": found,
                "gradient_norm": before,
                "gradient_norm_clipped": after,
                "rate": rate,
            }
            if clipping.varies:
                metrics["clip_threshold"] = clipping.threshold
            if math.isfinite(before):
                clipping.learn(after)
            metrics["tokens_per_second"] = y_BT.numel() / (time.perf_counter() - began)
            with ranks.between():
                if ranks.rank() == 0 and (step == plan.steps or step % plan.held_out_every == 0):
                    with rounding.at(step):
                        metrics |= judge()
                    schedule.hear(metrics.get("held_out_nats", math.nan))
                yield Step(step, metrics, partial(checkpoint.save, step, net, optimiser, parts))


def nats(found_BTV: Tensor, y_BT: Tensor, whole_BT: Tensor, smoothing: float = 0.0) -> Tensor:
    """Cross-entropy of these targets, over how many the whole batch has: the parts of a batch add
    up to its mean."""
    total = F.cross_entropy(
        found_BTV.float().flatten(0, 1), y_BT.flatten(), label_smoothing=smoothing, reduction="sum"
    )
    return total / (whole_BT != windows.NOTHING).sum().clamp(min=1)


def shares(rows: int, parts: int) -> list[slice]:
    """The rows that this process reads of a batch, in so many parts; none of them is empty."""
    first, all_parts = ranks.rank() * parts, ranks.count() * parts
    ends = [rows * i // all_parts for i in range(first, first + parts + 1)]
    return [slice(a, b) for a, b in pairwise(ends) if a < b]


def half_of(kind: str) -> torch.dtype:
    """The number format of half the digits: float16 only where bfloat16, which has the range of
    float32, is not at home."""
    at_home = kind != "cuda" or torch.cuda.is_bf16_supported(including_emulation=False)
    return torch.bfloat16 if at_home else torch.float16


class Scale(torch.amp.GradScaler):
    """What a loss in float16 is multiplied by, so that small gradients do not become 0; it falls
    where one overflows."""

    def __init__(self, kind: str, on: bool) -> None:
        super().__init__(kind, enabled=on)

    def state(self) -> Mapping[str, Any]:
        return self.state_dict()

    def restore(self, state: Mapping[str, Any]) -> None:
        if self.is_enabled():
            self.load_state_dict(dict(state))


@contextmanager
def training(net: nn.Module, mixed: bool = False) -> Iterator[None]:
    """All threads, and the net as it learns; afterwards as it was.  `mixed`: with half the digits,
    and no need for all of them elsewhere."""
    with runtime.training(ranks.local(), mixed):
        try:
            yield
        finally:
            net.eval()


@torch.no_grad()
def held_out(
    net: nn.Module, ids_N: np.ndarray, plan: Plan, device: str, most: int = 65_536
) -> float:
    """Mean nats per token over consecutive windows of the first `most` held-out tokens; nan when
    there are none."""
    net.eval()
    ids = torch.from_numpy(np.ascontiguousarray(ids_N[: most + 1]))
    span = min(plan.span, len(ids) - 1)
    total, count = 0.0, 0
    rows = (len(ids) - 1) // span if span > 0 else 0
    for row in range(0, rows, plan.batch):
        at = torch.arange(row, min(row + plan.batch, rows))[:, None] * span + torch.arange(span + 1)
        both = ids[at].to(device)
        total += F.cross_entropy(
            net(both[:, :-1]).flatten(0, 1), both[:, 1:].flatten(), reduction="sum"
        ).item()
        count += both[:, 1:].numel()
    net.train()
    return total / count if count else math.nan
