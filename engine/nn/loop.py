"""Training loop: draw a batch, go back from its loss to the gradients, cut them, take a step;
again.

What      loss = mean cross-entropy in nats per token; each step draws its batch from (seed, step)
          alone
          engine/nn/windows.py      what a batch is
          engine/nn/clipping/       what is cut off a gradient that is too large
          engine/nn/optimisers/     how a gradient becomes a step
          engine/nn/schedules/      how large the steps are while training goes on
          engine/nn/rounding.py     weights in few bits, read with while they are learned
          engine/nn/tuning/         which weights learn
          engine/nn/ranks.py        how several processes share one training
          engine/nn/prefetch.py        how a device is kept busy: what is drawn before, and read after
          engine/nn/compiling.py    the same products in fewer passes over memory
          engine/core/runtime.py    where the memory of a step goes
Source    Rumelhart, Hinton & Williams, Learning Representations by Back-Propagating Errors, 1986; a
          batch in parts and a scaled loss: Micikevicius et al., Mixed Precision Training, 2018,
          sec. 3.2
Shapes    N = tokens of the stream, B = windows in a batch, T = tokens in a window, V = vocabulary
Differs   As batch and dropout of a step depend on (seed, step) only, a run that goes on from a
          checkpoint takes the same steps as one that never stopped.  A GPU is not waited for at
          each step: the numbers of many steps come back together, and a step whose loss is no
          number is held back there, with all behind it, until that is seen here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise, takewhile
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from engine.core import runtime
from engine.core.registry import clippings, optimisers, schedules
from engine.language.message import refusal
from engine.nn import checkpoint, prefetch, ranks, recompute, windows
from engine.nn.compiling import Compiling
from engine.nn.divergence import Diverged, is_sound, locate, unsound
from engine.nn.plan import Plan
from engine.nn.rounding import Rounding
from engine.nn.tuning import base as tuning
from engine.nn.tuning.depth import Thawing, arrange

Arrays = checkpoint.Arrays
Loss = Callable[..., Tensor]
Inputs = list[tuple[Any, ...]]
"""Of each part of a batch: input, targets, targets of the whole batch, rows, what `looked_up` says."""


@dataclass(frozen=True, slots=True)
class Step:
    """`checkpoint` gives all that `resume` needs, of this step; None where the net is further than
    this already, as on a device that is not waited for.  `notes`: what to say of the training."""

    step: int
    metrics: dict[str, float]
    checkpoint: Callable[[], Arrays] | None
    notes: Mapping[str, str]


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
    replaced: float = 0.0,
) -> Iterator[Step]:
    """Train `net` (ids (B, T) -> logits (B, T, V)) in place, reporting every step; `stateful`,
    `passages`, `echo`, `replaced`: engine/nn/windows.py."""
    ids_N = torch.from_numpy(np.ascontiguousarray(stream_N))
    known_V = torch.from_numpy(np.setdiff1d(stream_N if replaced else boundary, boundary))
    starts = np.flatnonzero(stream_N[: max(1, len(stream_N) - plan.span - 1)] == boundary)

    def drawn(step: int) -> windows.Pair:
        pair = windows.drawn(ids_N, starts, plan, seed, step)
        pair = windows.echoed(pair, plan, echo, seed, step)
        return windows.replaced(pair, known_V, replaced, seed, step)

    draw: Callable[[int], windows.Pair] = drawn
    judge = partial(held_out, net, held_out_N, plan, device)
    if passages:
        draw = partial(windows.Passages(stream_N, plan, boundary).draw, seed)
        judge = partial(held_out_passages, net, held_out_N, plan, device, boundary)
    return descend(
        net,
        draw,
        plan,
        seed=seed,
        device=device,
        resume=resume,
        tracks=windows.Tracks(ids_N, plan) if stateful else None,
        judge=lambda: {"held_out_nats": judge()},
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
    looked_up: Callable[[Tensor], Tensor] | None = None,
    tracks: windows.Tracks | None = None,
    axis: int = 0,
) -> Iterator[Step]:
    """Train `net` (B, T, ..) -> logits (B, T, V) in place.

    draw       input and targets (B, T) of a step, from the number of the step alone, perhaps in
               another thread; a target of -100 does not count
    judge      what to report of text that is held out
    loss_of    what to make of the net's answer, its targets and those of the whole batch, where it
               is not cross-entropy alone
    looked_up  what `loss_of` is given besides, made of its targets while they are still here:
               places that a GPU would have to be asked for
    tracks     draws instead, and carries a state from step to step
    axis       of the input along which the examples lie
    """
    if resume is None and plan.tune != "whole":
        raise refusal(
            "tune={plan.tune} freezes weights, and those of this training have learned nothing yet; go on"
            " from a run (--start), or leave tune=whole"
        )
    net.to(device).train()
    learning = tuning.learning(net, plan)
    if plan.recompute:
        recompute.switch_on(net)
    kind, parameters, loss_of = (
        torch.device(device).type,
        list(learning.values()),
        loss_of or partial(nats, smoothing=plan.smoothing),
    )
    rule = optimisers.get(plan.optimiser)
    optimiser = rule.make(net, plan)
    arrange(optimiser, net, plan, learning)
    thawing = Thawing(net, plan, learning)
    schedule, clipping = schedules.get(plan.schedule)(plan), clippings.get(plan.clipping)(plan.clip)
    half = half_of(kind)
    scale, rounding = Scale(kind, plan.mixed and half == torch.float16), Rounding(net, plan)

    def read(x: Tensor, y_BT: Tensor, whole_BT: Tensor, rows: slice, *known: Tensor) -> Tensor:
        with torch.autocast(kind, half, enabled=plan.mixed):
            found = tracks.read(net, x, rows) if tracks else net(x)
            return loss_of(found, y_BT, whole_BT, *known)

    compiling = Compiling(net, read, plan, carried=tracks is not None)
    parts: dict[str, checkpoint.Varies] = {
        "schedule": schedule,
        "clipping": clipping,
        "scale": scale,
        "compile": compiling,
    }
    if tracks is not None:
        parts["tracks"], draw = tracks, tracks.draw
    first = checkpoint.restore(resume, net, optimiser, parts) if resume else 0
    ranks.share_weights(net)
    # only a step that can be held back on the device may be taken before its numbers are known
    most = prefetch.steps_of(kind) if rule.guarded and not scale.is_enabled() else 1
    unread, held_back = prefetch.Unread(most), torch.zeros((), device=device)

    def drawn(step: int) -> prefetch.Batch:
        x, y_BT = draw(step)
        parts = shares(len(y_BT), plan.accumulate) if looked_up else []
        return x, y_BT, *(looked_up(y_BT[rows]) for rows in parts if looked_up)

    def inputs_of(step: int) -> Inputs:
        x, y_BT, *known = batches(step)
        return [
            (
                x.narrow(axis, rows.start, rows.stop - rows.start),
                y_BT[rows],
                y_BT,
                rows,
                *known[i : i + 1],
            )
            for i, rows in enumerate(shares(len(y_BT), plan.accumulate))
        ]

    def gradients(step: int, inputs: Inputs) -> Tensor:
        torch.manual_seed((seed * 1_000_003 + step) * ranks.count() + ranks.rank())  # dropout
        optimiser.zero_grad(set_to_none=True)
        loss = torch.zeros((), device=device)
        with rounding.at(step):
            for given in inputs:
                part = compiling(*given)
                scale.scale(part).backward()
                loss += part.detach()
        return loss

    def origin(taken: prefetch.Taken, inputs: Inputs) -> str:
        """Where in the net a step went wrong; one that was held back on the device is computed
        again, from the same weights."""
        if most > 1:
            inputs = inputs_of(taken.step)
            if tracks is not None:
                tracks.before = taken.before
            gradients(taken.step, inputs)
        return locate(net, read, inputs)

    with (
        training(net, plan.mixed),
        prefetch.Batches(drawn, device, plan.steps, thread=most > 1 and not tracks) as batches,
    ):
        for step, rate in ranks.steps(first, plan.steps, schedule.rate):
            unread.begin()
            for group in optimiser.param_groups:
                group["lr"] = rate * group["share"]
            thawing.at(step)
            inputs = inputs_of(step)
            if step == first + 1 and compiling.settle(inputs, plan.steps - first):
                unread.begin()
            before = tracks.before if tracks is not None else None
            loss = gradients(step, inputs)
            ranks.sum_up(parameters, loss)
            scale.unscale_(optimiser)
            held_to, norms = clipping.threshold, clipping(parameters)
            told = [loss, *norms, *([prefetch.number(held_to, device)] if clipping.varies else [])]
            unread.add(step, rate, inputs[0][2].numel(), torch.stack(told), before)
            judged = step == plan.steps or step % plan.held_out_every == 0
            if most > 1:
                held_back = torch.maximum(held_back, unsound(loss, norms[0]))
                optimiser.found_inf = held_back  # type: ignore[attr-defined]
                optimiser.step()
                clipping.learn_there(*norms)
                if not (judged or step == first + 1 or unread.full()):
                    continue
            rows, pace = unread.read()
            good = list(
                takewhile(lambda row: is_sound(row[1][0], row[1][1], scale.is_enabled()), rows)
            )
            if most == 1 and good:
                scale.step(optimiser)
                scale.update()
                if math.isfinite(good[0][1][1]):
                    clipping.learn(good[0][1][2])
            for taken, (loss_nats, norm, clipped, *threshold) in good:
                metrics = {
                    "loss_nats": loss_nats,
                    "gradient_norm": norm,
                    "gradient_norm_clipped": clipped,
                    "rate": taken.rate,
                }
                metrics |= zip(("clip_threshold",), threshold)
                metrics["tokens_per_second"] = pace
                with ranks.between():
                    if judged and taken.step == step and ranks.rank() == 0:
                        with rounding.at(step):
                            metrics |= judge()
                        schedule.hear(metrics.get("held_out_nats", math.nan))
                    keep = partial(checkpoint.save, step, net, optimiser, parts)
                    yield Step(
                        taken.step, metrics, keep if taken.step == step else None, compiling.notes
                    )
            if len(good) < len(rows) and ranks.rank() == 0:  # which tells the others
                with ranks.between():
                    bad = rows[len(good)][0]
                    raise Diverged(bad.step, bad.rate, origin(bad, inputs))


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


def held_out(
    net: nn.Module, ids_N: np.ndarray, plan: Plan, device: str, most: int = 65_536
) -> float:
    """Mean nats per token over consecutive windows of the first `most` held-out tokens; nan when
    there are none."""
    ids = torch.from_numpy(np.ascontiguousarray(ids_N[: most + 1]))
    span = min(plan.span, len(ids) - 1)
    rows = (len(ids) - 1) // span if span > 0 else 0

    def pairs() -> Iterator[tuple[windows.Pair, int]]:
        for row in range(0, rows, plan.batch):
            at = torch.arange(row, min(row + plan.batch, rows))[:, None] * span
            both = ids[at + torch.arange(span + 1)]
            yield (both[:, :-1], both[:, 1:]), len(both) * span

    return mean_nats(net, pairs(), device)


def held_out_passages(
    net: nn.Module, ids_N: np.ndarray, plan: Plan, device: str, boundary: int, most: int = 65_536
) -> float:
    """`held_out` of a net that learns from whole passages: each is read from its own beginning."""
    ids_N = ids_N[: most + 1]
    parts = windows.Passages(ids_N, plan, boundary).parts if len(ids_N) > 1 else []
    batches = (parts[at : at + plan.batch] for at in range(0, len(parts), plan.batch))
    return mean_nats(
        net,
        ((windows.filled(some), sum(len(part) - 1 for part in some)) for some in batches),
        device,
    )


@torch.no_grad()
def mean_nats(net: nn.Module, pairs: Iterable[tuple[windows.Pair, int]], device: str) -> float:
    """Mean cross-entropy per token of inputs and targets (B, T), each pair with the number of its
    targets that count, those other than -100; nan without any."""
    net.eval()
    total, count = torch.zeros((), dtype=torch.float64, device=device), 0
    for (x_BT, y_BT), targets in pairs:
        logit_BTV = net(x_BT.to(device))
        total += F.cross_entropy(
            logit_BTV.flatten(0, 1),
            y_BT.to(device).flatten(),
            reduction="sum",
            ignore_index=windows.NOTHING,
        )
        count += targets
    net.train()
    return total.item() / count if count else math.nan
