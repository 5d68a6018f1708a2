"""A batch that grows, beside a rate that falls: what noise leaves of a descent, in expectation.

What      a bowl L = 1/2 sum of c_d x_d^2; the gradient of B examples is c_d x_d + noise of variance s c_d / B; so
          E x_d^2 becomes (1 - r c_d)^2 E x_d^2 + r^2 s c_d / B with every step of rate r
          noise acts by r / B: a batch k times as large does what a rate k times as small does, in k times fewer
          steps for the same examples
Source    Smith, Kindermans, Ying & Le, Don't Decay the Learning Rate, Increase the Batch Size, 2018; noise as
          curved as the loss: McCandlish et al., An Empirical Model of Large-Batch Training, 2018
Shapes    S = steps, D = directions
Differs   Exact, without a draw: of a square loss the expectation needs none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engine.frame.blocks import Beside, Chart, Rows, Train, curves
from engine.frame.control import slider
from engine.frame.part import Blocks, part
from engine.language.message import _
from engine.views.base import number

CURVES = np.geomspace(0.02, 1.0, 12)  # c_d
NAMES = {
    "small": "small batch",
    "large": "large batch",
    "grows": "batch grows",
    "falls": "small batch, rate falls",
}
MARKS = 300  # points of a curve


@dataclass(frozen=True, slots=True)
class Plan:
    """batch and rate (S,) of each step."""

    batch: np.ndarray
    rate: np.ndarray

    @property
    def read(self) -> np.ndarray:
        """(S + 1,): examples read before each step, and at the end."""
        return np.concatenate(([0], np.cumsum(self.batch)))


def plan(kind: str, first: int, factor: int, stages: int, rate: float, examples: int) -> Plan:
    """One of `NAMES`, over so many examples in stages of the same number of them.  The large batch is that of the last
    stage."""
    batches, rates = list[int](), list[float]()
    for n in range(stages):
        batch = first * factor ** {"small": 0, "falls": 0, "large": stages - 1, "grows": n}[kind]
        steps = max(1, round(examples / stages / batch))
        batches += [batch] * steps
        rates += [rate / factor**n if kind == "falls" else rate] * steps
    return Plan(np.array(batches), np.array(rates))


def losses(of: Plan, noise: float, start: float = 1.0) -> np.ndarray:
    """(S + 1,): the expected loss before each step, and at the end, from x_d = `start`; `noise` is s."""
    square_D, found = np.full(len(CURVES), start**2), list[np.ndarray]()
    changes = (np.diff(of.batch) != 0) | (np.diff(of.rate) != 0)
    ends = [0, *(np.flatnonzero(changes) + 1).tolist(), len(of.batch)]
    with np.errstate(over="ignore", invalid="ignore"):  # a descent that diverges becomes infinite
        for first, end in pairwise(ends):  # batch and rate stay: a geometric series
            batch, rate = of.batch[first], of.rate[first]
            keep_D = (1 - rate * CURVES) ** 2
            n_S1 = np.arange(end - first + 1)[:, None]
            kept_SD = keep_D**n_S1
            with np.errstate(divide="ignore"):
                sum_SD = np.where(keep_D == 1, n_S1, (1 - kept_SD) / (1 - keep_D))
            square_SD = kept_SD * square_D + sum_SD * rate**2 * noise * CURVES / batch
            found.append(0.5 * square_SD[:-1] @ CURVES)
            square_D = square_SD[-1]
        return np.concatenate([*found, [0.5 * CURVES @ square_D]])


@part("A growing batch")
def growing(
    g_first: int = slider("First batch", 1, 64, 8, width=180),
    g_factor: int = slider("Times, at each stage", 2, 8, 4, width=180),
    g_stages: int = slider("Stages", 2, 5, 4, width=150),
    g_rate: float = slider("Learning rate", 0.05, 2.2, 0.5, 0.05, width=180),
    g_noise: float = slider("Noise of one example", 0.0, 20.0, 5.0, 0.5, width=180),
) -> Blocks:
    yield (
        "At the start the way is clear and a small, noisy batch is enough; near the minimum only the noise is"
        " left. So one either lets the learning rate fall, or lets the **batch grow**: noise acts by rate / batch,"
        " and both make it smaller. Growing takes fewer steps, and large batches are quick where many"
        " examples are computed at once."
    )
    examples = g_first * g_factor ** (g_stages - 1) * g_stages * 16
    plans = {
        name: plan(kind, g_first, g_factor, g_stages, g_rate, examples)
        for kind, name in NAMES.items()
    }
    lost = {name: losses(one, g_noise) for name, one in plans.items()}
    note = _(
        "{directions} directions, {examples:,} examples", directions=len(CURVES), examples=examples
    )

    def drawn(id: str, title: str, x: str, places: Mapping[str, Iterable[float]]) -> Chart:
        series = {}
        for name, at in places.items():
            every = max(1, len(lost[name]) // MARKS)
            series[name] = ([*at][::every], lost[name][::every])
        return curves(id, title, series, x, "expected loss", note, log_y=True)

    read = {name: one.read for name, one in plans.items()}
    steps = {name: range(len(one)) for name, one in lost.items()}
    yield Beside(
        [
            [drawn("by-examples", "Loss by examples read", "examples", read)],
            [drawn("by-steps", "Loss by steps", "steps", steps)],
        ]
    )
    table = [
        {
            "way": name,
            "batch": " → ".join(f"{b:,}" for b in dict.fromkeys(one.batch.tolist())),
            "rate": " → ".join(number(r) for r in dict.fromkeys(one.rate.tolist())),
            "steps": f"{len(one.batch):,}",
            "loss at the end": float(lost[name][-1]),
        }
        for name, one in plans.items()
    ]
    yield Rows(table, {"loss at the end": "%.3g"})
    grows, falls = NAMES["grows"], NAMES["falls"]
    yield _(
        "The growing batch ends at {grown} after **{few:,} steps**, the falling rate at {fallen} after"
        " **{many:,}**. That one of them “often works best” is no rule: without noise the small batch alone"
        " ends lowest, and above a rate of 2 no batch is large enough.",
        grown=number(lost[grows][-1]),
        few=len(plans[grows].batch),
        fallen=number(lost[falls][-1]),
        many=len(plans[falls].batch),
    )
    yield Train({"batch": g_first}, text="stories")
