"""Noam: warm up, then fall with the root of the step.

What      share = sqrt(warm / step)
Source    Vaswani et al., Attention Is All You Need, 2017, eq. 3: rate = d^-0.5 min(step^-0.5, step
          warm^-1.5)
Differs   Their rate follows from the width d; here `rate` is the highest one, reached at the end of
          the warm-up.
"""

from __future__ import annotations

import math
from typing import final

from engine.nn.schedules.base import Schedule


@final
class Noam(Schedule):
    says = "Falls with the square root of the step: after four times as many steps, half the rate."

    def after(self, step: int, done: float) -> float:
        return math.sqrt(max(1, self.plan.warm) / step)


SCHEDULE = Noam
