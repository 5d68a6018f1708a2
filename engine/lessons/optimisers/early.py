"""Early stopping: a net that learns a few points by heart, its loss on others, and which weights are
kept.

What      after each measurement that is the best so far the weights are kept; after `patience`
          measurements without a better one the training ends
Source    Prechelt, Early Stopping - But When?, 1998
Shapes    M = measurements
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from engine.analysis.optimising.fitting import fitting
from engine.frame.blocks import (
    Beside,
    Block,
    Controls,
    Note,
    Problem,
    Progress,
    Rows,
    Train,
    Words,
    curves,
)
from engine.frame.control import number, slider, typed
from engine.frame.part import Blocks, Taking, once_told, part
from engine.language.message import Message, _
from engine.training import verdict
from engine.views.base import number as written

OWN = "1.0 0.9 0.95 0.96 0.97 0.8"
POINTS, OTHERS, UNITS = 14, 200, 48
EVERY, RATE = 20, 0.01  # steps between measurements; of Adam


@dataclass(frozen=True, slots=True)
class Stop:
    """Measurements are counted from 1.  best: the one with the least loss; end: the last one;
    waited: how many without a better one, after each."""

    best: int
    end: int
    waited: tuple[int, ...]
    stopped: bool


def stop(losses: Sequence[float], patience: int) -> Stop:
    """As the training room does; patience 0: never.  A loss that is no number is not better."""
    best, least, waited, told = 0, math.inf, 0, []
    for n, loss in enumerate(losses, 1):
        waited = 0 if loss < least else waited + 1
        if not waited:
            best, least = n, loss
        told.append(waited)
        if patience and waited >= patience:
            return Stop(best, n, tuple(told), True)
    return Stop(best, len(losses), tuple(told), False)


@dataclass(frozen=True, slots=True)
class Overfitting:
    """train, held (M): mean squared errors at each measurement; loaded: the held-out error of the
    weights that each way of keeping has in the end; x, y: the points; curve: (x, best, last)."""

    train: np.ndarray
    held: np.ndarray
    loaded: dict[str, float]
    stop: Stop


def _net(seed: int) -> nn.Sequential:
    torch.manual_seed(seed)
    return nn.Sequential(
        nn.Linear(1, UNITS), nn.Tanh(), nn.Linear(UNITS, UNITS), nn.Tanh(), nn.Linear(UNITS, 1)
    )


def _points(count: int, chance: torch.Generator) -> tuple[Tensor, Tensor]:
    x = torch.rand(count, 1, generator=chance) * 2 - 1
    y = torch.sin(4 * x) + 0.35 * torch.randn(count, 1, generator=chance)
    return x, y


def overfit(patience: int, most: int = 60, seed: int = 0) -> Overfitting:
    """Trains until patience ends it, or to measurement `most`; the random numbers of the process are
    left as they were."""
    with torch.random.fork_rng(devices=[]):
        net, chance = _net(seed), torch.Generator().manual_seed(seed)
        (x, y), (other_x, other_y) = _points(POINTS, chance), _points(OTHERS, chance)
        optimiser = torch.optim.Adam(net.parameters(), RATE)
        train: list[float] = []
        held: list[float] = []
        kept: dict[str, dict[str, Tensor]] = {}
        for _ in range(most):
            for _ in range(EVERY):
                optimiser.zero_grad()
                F.mse_loss(net(x), y).backward()
                optimiser.step()
            with torch.no_grad():
                train.append(F.mse_loss(net(x), y).item())
                held.append(F.mse_loss(net(other_x), other_y).item())
            now = stop(held, patience)
            if now.best == len(held):
                kept = {
                    "state_dict().copy()": net.state_dict().copy(),
                    "deepcopy(state_dict())": deepcopy(net.state_dict()),
                }
            if now.stopped:
                break
        loaded = {}
        last = deepcopy(net.state_dict())
        for name, weights in {**kept, "the last weights": last}.items():
            net.load_state_dict(weights)
            with torch.no_grad():
                loaded[name] = F.mse_loss(net(other_x), other_y).item()
            net.load_state_dict(last)
        return Overfitting(np.array(train), np.array(held), loaded, stop(held, patience))


@once_told
def overfitted(*, patience: int, seed: int) -> Taking[Overfitting]:
    yield Progress(0.0, "Training a small network")
    return overfit(patience, seed=seed)


@part("Early stopping")
def early(
    patience: int = slider("Patience, measurements", 1, 20, 4, width=260),
    early_seed: int = number("Seed", 0, 999, 0, width=120),
    *,
    losses: str = typed("Your own losses, one after the other", "", 300, OWN),
) -> Generator[Block, None, None]:
    yield _(
        "A network with {units} units in two layers learns {points} noisy points by heart. Its loss on"
        " {others} others falls first and rises then. Training should end between, and go back to the best"
        " weights.",
        units=UNITS,
        points=POINTS,
        others=OTHERS,
    )
    whole = yield from overfitted(patience=0, seed=early_seed)
    found = yield from overfitted(patience=patience, seed=early_seed)
    end = found.stop
    at, until = np.arange(1, len(whole.held) + 1), np.arange(1, end.end + 1)
    drawn = curves(
        "early",
        "Loss at each measurement",
        {
            "in training": (at, whole.train),
            "on others": (at, whole.held),
            "best": ([end.best], [whole.held[end.best - 1]]),
            "ended here": ([end.end], [whole.held[end.end - 1]]),
        },
        "measurement",
        "squared error",
        _("every {every} steps of Adam; patience {patience}", every=EVERY, patience=patience),
    )
    left: list[Block] = [drawn]
    if judged := fitting((until, whole.train[: end.end]), (until, whole.held[: end.end])):
        left += [verdict.said(judged, "measurement"), Note(verdict.RULE)]
    table = [{"kept as": name, "loss on others": value} for name, value in found.loaded.items()]
    right = [
        ended(end, patience),
        Rows(table, {"loss on others": "%.6f"}),
        copies(*found.loaded.values()),
        Train({"patience": patience, "held_out_every": EVERY}, text="stories"),
        Controls(["losses"]),
        *counted(losses or OWN, patience),
    ]
    yield Beside([left, right], (7, 5))


def ended(end: Stop, patience: int) -> Message:
    if end.stopped:
        return _(
            "The best is measurement **{best}**; a patience of {patience} ends the training at measurement"
            " **{end}**. What is loaded then has this loss on others:",
            best=end.best,
            patience=patience,
            end=end.end,
        )
    return _(
        "The best is measurement **{best}**; a patience of {patience} never runs out. What is loaded in the"
        " end has this loss on others:",
        best=end.best,
        patience=patience,
    )


def copies(shallow: float, deep: float, last: float) -> Words:
    if shallow == last != deep:
        return _(
            "The copy of the dictionary holds the same tensors that went on learning: it **is** the last"
            " weights, {shallow}. The deep copy holds the best ones, {deep}.",
            shallow=written(shallow),
            deep=written(deep),
        )
    return "Here the best weights are the last ones, and both copies are right."


def counted(typed: str, patience: int) -> Blocks:
    """The counter on losses that somebody typed."""
    try:
        given = [float(part) for part in typed.replace(",", " ").split()]
    except ValueError:
        yield Problem("Numbers only, with spaces between them, such as 1.0 0.9 0.95.")
        return
    if not given:
        return
    found = stop(given, patience)
    waited = ", ".join(map(str, found.waited))
    if found.stopped:
        yield Note(
            _(
                "Waited after each: {waited}. Best: number {best}; patience ends it at number {end}.",
                waited=waited,
                best=found.best,
                end=found.end,
            )
        )
    else:
        yield Note(
            _(
                "Waited after each: {waited}. Best: number {best}; patience never runs out.",
                waited=waited,
                best=found.best,
            )
        )
