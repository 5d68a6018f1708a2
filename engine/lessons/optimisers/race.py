"""Race: the optimisers of the training room on a surface of two weights, every step recorded.

What      g = gradient of the loss at w, plus noise if wanted; then one step of the optimiser in
          engine/nn/optimisers/, with the rate that the schedule has for it
Shapes    S = steps; a path is (S + 1, 2): the start and w after each step
Differs   The two weights are a matrix of one row, so that Muon, which is for matrices, can run.
          What is no longer finite ends a path, and is said.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from engine.core.registry import optimisers, schedules
from engine.lessons.optimisers.surfaces import Surface
from engine.nn.plan import Plan

TITLES = {
    "sgd": "SGD with momentum",
    "rmsprop": "RMSprop",
    "adam": "Adam",
    "adamw": "AdamW",
    "muon": "Muon",
}
PLAIN = "plain"  # SGD without momentum
RATES = (*(float(f"{k}e{e}") for e in (-4, -3, -2, -1) for k in (1, 2, 5)), 1.0)


@dataclass(frozen=True, slots=True)
class Racer:
    """An optimiser with its momentum."""

    id: str
    optimiser: str
    title: str
    momentum: float = 0.9


@dataclass(frozen=True, slots=True)
class Path:
    """w (S + 1, 2); loss (S + 1); gradient (S, 2) that step s + 1 was taken with, and what the
    optimiser kept after it (S, 2), by torch's name; the rate of each step (S).

    lost  the step at which w or the loss was no longer finite, and what it was: shorter than asked
    """

    racer: Racer
    w: np.ndarray
    loss: np.ndarray
    gradient: np.ndarray
    kept: Mapping[str, np.ndarray]
    rate: np.ndarray
    decay: float = 0.0
    lost: tuple[int, str] | None = None

    @property
    def steps(self) -> int:
        return len(self.gradient)


@dataclass(frozen=True, slots=True)
class Course:
    """How a race is run: so many steps, with a schedule, a decay, and noise of this standard
    deviation in each number of the gradient."""

    start: tuple[float, float]
    steps: int = 150
    schedule: str = "constant"
    warmup: int = 0
    decay: float = 0.0
    noise: float = 0.0
    seed: int = 0


class Weights(nn.Module):
    """Two weights as a matrix (1, 2)."""

    def __init__(self, start: Sequence[float]) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.tensor([list(start)], dtype=torch.float32))


def racers() -> dict[str, Racer]:
    """Every optimiser there is, and SGD without momentum."""
    found = [Racer(PLAIN, "sgd", "SGD", 0.0)]
    found += [Racer(id, id, TITLES.get(id, id)) for id in optimisers.ids()]
    rank = [PLAIN, *TITLES]
    found.sort(key=lambda r: rank.index(r.id) if r.id in rank else len(rank))
    return {racer.id: racer for racer in found}


def titles(_others: object = None) -> dict[str, str]:
    return {id: racer.title for id, racer in racers().items()}


def plan_of(racer: Racer, rate: float, course: Course) -> Plan:
    return Plan(
        steps=course.steps,
        batch=1,
        span=1,
        rate=rate,
        optimiser=racer.optimiser,
        momentum=racer.momentum,
        decay=course.decay,
        schedule=course.schedule,
        warmup=course.warmup,
    )


def run(surface: Surface, racer: Racer, rate: float, course: Course) -> Path:
    plan = plan_of(racer, rate, course)
    net = Weights(course.start)
    optimiser = optimisers.get(racer.optimiser).make(net, plan)
    schedule = schedules.get(course.schedule)(plan)
    draws = np.random.default_rng(course.seed).normal(size=(course.steps, 1, 2))
    ws, losses, gradients, rates = (list[Any]() for _ in range(4))
    kept, lost = dict[str, list[np.ndarray]](), None
    for step in range(course.steps + 1):
        loss = surface.loss(net.w).sum()
        w, value = net.w.detach().numpy()[0].copy(), float(loss.detach())
        if not (math.isfinite(value) and np.isfinite(w).all()):
            lost = step, "not a number" if math.isnan(value) else "infinite (beyond float32)"
            break
        ws.append(w)
        losses.append(value)
        if step == course.steps:
            break
        optimiser.zero_grad()
        loss.backward()
        assert net.w.grad is not None
        if course.noise:
            net.w.grad += torch.from_numpy(course.noise * draws[step]).float()
        gradients.append(net.w.grad.numpy()[0].copy())
        rates.append(schedule.rate(step + 1))
        for group in optimiser.param_groups:
            group["lr"] = rates[-1]
        optimiser.step()
        for name, state in optimiser.state[net.w].items():
            if isinstance(state, torch.Tensor) and state.shape == net.w.shape:
                kept.setdefault(name, []).append(state.numpy()[0].copy())
    arrays = (np.array(ws), np.array(losses), np.array(gradients).reshape(-1, 2))
    memory = {name: np.array(values) for name, values in kept.items()}
    return Path(racer, *arrays, memory, np.array(rates), course.decay, lost)


def best_rate(surface: Surface, racer: Racer, course: Course) -> float:
    """The one of RATES with the lowest loss at the end; of equal ones the smallest."""

    def end(rate: float) -> float:
        path = run(surface, racer, rate, course)
        return math.inf if path.lost else float(path.loss[-1])

    return min(RATES, key=lambda rate: (end(rate), rate))


def rate_of(surface: Surface, racer: Racer, course: Course) -> float:
    """The best one from the start of the surface, searched where it is not known."""
    known = surface.rates.get(racer.id)
    return best_rate(surface, racer, course) if known is None else known
