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

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

CURVES = np.geomspace(0.02, 1.0, 12)  # c_d
NAMES = {
    "small": "small batch",
    "large": "large batch",
    "grows": "batch grows",
    "falls": "small batch, rate falls",
}


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
