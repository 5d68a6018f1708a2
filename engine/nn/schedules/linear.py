"""Linear: warm up, then fall in a straight line.

What      share = (steps + 1 - step) / (steps + 1 - warm): 1 at the end of the warm-up, 0 one step
          behind the last one
Source    Devlin et al., BERT, 2018, A.2
"""

from __future__ import annotations

from typing import final

from engine.nn.schedules.base import Schedule


@final
class Linear(Schedule):
    says = "Falls linearly to almost 0."

    def after(self, step: int, done: float) -> float:
        return (self.plan.steps + 1 - step) / (self.plan.steps + 1 - self.plan.warm)


SCHEDULE = Linear
