"""Schedule: the learning rate of each step, as a share of the highest one.

What      first a warm-up: step / warm, so that the first steps, whose gradients are large and whose
          means are not known yet, are small; then what the file of the schedule says
Source    warm-up: Goyal et al., Accurate, Large Minibatch SGD, 2017, sec. 2.2
Differs   A schedule is asked for a step by its number, so that training goes on from any of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from engine.nn.plan import Plan


class Schedule(ABC):
    says: str

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def rate(self, step: int) -> float:
        """Of a step, counted from 1."""
        warm = self.plan.warm
        return self.plan.rate * (
            step / warm
            if step <= warm
            else self.after(step, (step - warm) / max(1, self.plan.steps - warm))
        )

    @abstractmethod
    def after(self, step: int, done: float) -> float:
        """Share of the highest rate behind the warm-up; `done`: which part of the steps behind it
        is done, up to 1."""

    def hear(self, nats: float) -> None:  # noqa: B027  most are settled before the first step
        """How good the model is on held-out text now; only a plateau listens."""

    def state(self) -> dict[str, float]:
        """What a training that goes on has to know."""
        return {}

    def restore(self, state: Mapping[str, float]) -> None:  # noqa: B027
        """The same, back again."""
