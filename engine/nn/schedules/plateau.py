"""Plateau: warm up, then halve the rate whenever held-out text has not got better for a while.

What      share is halved after three measurements in a row that were not better than the best one
          by 0.01 %
Source    torch.optim.lr_scheduler.ReduceLROnPlateau with factor 0.5 and patience 2; the idea:
          Bengio, Practical Recommendations for Gradient-Based Training of Deep Architectures, 2012,
          sec. 3.1.1
Differs   Without held-out text there is nothing to listen to, and the rate stays.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import final

from engine.nn.plan import Plan
from engine.nn.schedules.base import Schedule

FACTOR, PATIENCE, BETTER = 0.5, 2, 1e-4


@final
class Plateau(Schedule):
    says = "Halves whenever the held-out loss has not improved for three measurements."

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.share, self.best, self.waited = 1.0, math.inf, 0

    def after(self, step: int, done: float) -> float:
        return self.share

    def hear(self, nats: float) -> None:
        if math.isnan(nats):
            return
        self.waited = 0 if nats < self.best * (1 - BETTER) else self.waited + 1
        if not self.waited:
            self.best = nats
        if self.waited > PATIENCE:
            self.share, self.waited = self.share * FACTOR, 0

    def state(self) -> dict[str, float]:
        return {"share": self.share, "best": self.best, "waited": self.waited}

    def restore(self, state: Mapping[str, float]) -> None:
        self.share, self.best, self.waited = state["share"], state["best"], int(state["waited"])


SCHEDULE = Plateau
