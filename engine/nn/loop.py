"""Training loop: AdamW, warm-up then cosine, clipping by norm; over windows of a stream, or over batches of any kind.

What      loss = mean cross-entropy in nats per token; each step draws its batch from (seed, step) alone
Source    Loshchilov & Hutter, Decoupled Weight Decay Regularization, 2019; clipping: Pascanu, Mikolov & Bengio, 2013
Shapes    N = tokens of the stream, B = windows in a batch, T = tokens in a window, V = vocabulary
Differs   Half of the windows of a stream start at the start of a passage: that is how a typed sentence starts.
          As batch and dropout of a step depend on (seed, step) only, a run that goes on from a
          checkpoint takes the same steps as one that never stopped.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True, slots=True)
class Plan:
    """Numbers of the loop.  `steps` updates of `batch` windows of `span` tokens each."""

    steps: int
    batch: int
    span: int
    rate: float
    warmup: int = 100
    decay: float = 0.01
    clip: float = 1.0
    mixed: bool = False  # products in bfloat16, everything else in float32
    held_out_every: int = 500


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
) -> Iterator[Step]:
    """Train `net` (ids (B, T) -> logits (B, T, V)) in place, reporting every step."""
    ids_N = torch.from_numpy(np.ascontiguousarray(stream_N))
    starts = np.flatnonzero(stream_N[: max(1, len(stream_N) - plan.span - 1)] == boundary)
    return descend(
        net, lambda step: windows(ids_N, starts, plan, seed, step), plan, seed=seed, device=device, resume=resume,
        judge=lambda: {"held_out_nats": held_out(net, held_out_N, plan, device)},
    )  # fmt: skip


def descend(
    net: nn.Module,
    draw: Callable[[int], tuple[Tensor, Tensor]],
    plan: Plan,
    *,
    judge: Callable[[], dict[str, float]],
    seed: int,
    device: str,
    resume: Mapping[str, np.ndarray] | None = None,
    loss_of: Callable[[Tensor, Tensor], Tensor] | None = None,
) -> Iterator[Step]:
    """Train `net` (B, T, ..) -> logits (B, T, V) in place.

    draw     input and targets (B, T) of a step, from the number of the step alone; a target of -100 does not count
    judge    what to report of text that is held out
    loss_of  what to make of the net's answer and the targets, where it is not cross-entropy alone
    """
    net.to(device).train()
    adam = torch.optim.AdamW(net.parameters(), plan.rate, betas=(0.9, 0.99), weight_decay=plan.decay, fused=True)
    first = _restore(net, adam, resume) if resume else 0
    threads = torch.get_num_threads()
    torch.set_num_threads(int(os.environ.get("UNROLLED_THREADS", os.cpu_count() or 1)))
    try:
        for step in range(first + 1, plan.steps + 1):
            torch.manual_seed(seed * 1_000_003 + step)
            for group in adam.param_groups:
                group["lr"] = plan.rate * _schedule(step, plan)
            x_BT, y_BT = (part.to(device) for part in draw(step))
            with torch.autocast(torch.device(device).type, torch.bfloat16, enabled=plan.mixed):
                found_BTV = net(x_BT)
                loss = loss_of(found_BTV, y_BT) if loss_of else F.cross_entropy(found_BTV.float().flatten(0, 1), y_BT.flatten())
            adam.zero_grad(set_to_none=True)
            loss.backward()
            norm = nn.utils.clip_grad_norm_(net.parameters(), plan.clip)
            adam.step()
            last = step == plan.steps
            metrics = {"loss_nats": loss.item(), "gradient_norm": norm.item(), "rate": adam.param_groups[0]["lr"]}
            if not math.isfinite(metrics["loss_nats"]):
                raise ValueError(f"the loss is no longer a number at step {step}; try a rate below {plan.rate:g}")
            if last or step % plan.held_out_every == 0:
                metrics |= judge()
            yield Step(step, metrics, partial(_checkpoint, net, adam, step))
    finally:
        torch.set_num_threads(threads)
        net.eval()


def windows(ids_N: Tensor, starts: np.ndarray, plan: Plan, seed: int, step: int) -> tuple[Tensor, Tensor]:
    """Inputs and targets (B, T) of one step, from (seed, step) alone."""
    rng = np.random.default_rng((seed, step))
    span = min(plan.span, len(ids_N) - 1)
    start_B = rng.integers(0, len(ids_N) - span, plan.batch)
    if len(starts):
        half = plan.batch // 2
        start_B[:half] = np.minimum(rng.choice(starts, half), len(ids_N) - span - 1)
    at_BT = torch.from_numpy(start_B)[:, None] + torch.arange(span + 1)
    both = ids_N[at_BT]
    return both[:, :-1], both[:, 1:]


def _schedule(step: int, plan: Plan) -> float:
    warmup = min(plan.warmup, max(1, plan.steps // 10))
    if step <= warmup:
        return step / warmup
    done = (step - warmup) / max(1, plan.steps - warmup)
    return 0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * done))


@torch.no_grad()
def held_out(net: nn.Module, ids_N: np.ndarray, plan: Plan, device: str, most: int = 65_536) -> float:
    """Mean nats per token over consecutive windows of the first `most` held-out tokens; nan when there are none."""
    net.eval()
    ids = torch.from_numpy(np.ascontiguousarray(ids_N[: most + 1]))
    span = min(plan.span, len(ids) - 1)
    total, count = 0.0, 0
    rows = (len(ids) - 1) // span if span > 0 else 0
    for row in range(0, rows, plan.batch):
        at = torch.arange(row, min(row + plan.batch, rows))[:, None] * span + torch.arange(span + 1)
        both = ids[at].to(device)
        total += F.cross_entropy(net(both[:, :-1]).flatten(0, 1), both[:, 1:].flatten(), reduction="sum").item()
        count += both[:, 1:].numel()
    net.train()
    return total / count if count else math.nan


def _checkpoint(net: nn.Module, adam: torch.optim.Optimizer, step: int) -> Arrays:
    arrays: Arrays = {"step": np.array([step], np.int64)}
    for name, p in net.named_parameters():
        arrays[f"net.{name}"] = p.detach().cpu().numpy().copy()
        for key in ("exp_avg", "exp_avg_sq"):
            arrays[f"{key}.{name}"] = adam.state[p][key].cpu().numpy().copy()
    return arrays


def _restore(net: nn.Module, adam: torch.optim.Optimizer, arrays: Mapping[str, np.ndarray]) -> int:
    step = int(arrays["step"][0])
    with torch.no_grad():
        for name, p in net.named_parameters():
            p.copy_(torch.from_numpy(np.array(arrays[f"net.{name}"])))
            kept = {key: torch.from_numpy(np.array(arrays[f"{key}.{name}"])).to(p.device) for key in ("exp_avg", "exp_avg_sq")}
            # the fused update wants its step count on the device of the parameter
            adam.state[p] = {"step": torch.tensor(float(step), device=p.device), **kept}
    return step
