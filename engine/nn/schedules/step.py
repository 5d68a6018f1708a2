"""Step: warm up, then a tenth of the rate from the middle on, and a hundredth for the last quarter.

What      share = 1, 0.1 or 0.01: behind the warm-up, behind half of all steps, behind three
          quarters
Source    He, Zhang, Ren & Sun, Deep Residual Learning for Image Recognition, 2016, sec. 4.2
"""

from __future__ import annotations

from typing import final

from engine.nn.schedules.base import Schedule


@final
class Stairs(Schedule):
    says = "Drops to a tenth halfway through, and to a hundredth for the last quarter."

    def after(self, step: int, done: float) -> float:
        part = step / self.plan.steps
        return 0.01 if part > 0.75 else 0.1 if part > 0.5 else 1.0


SCHEDULE = Stairs
