"""Cosine: warm up, then fall slowly, fast, slowly, to a twentieth.

What      share = 0.05 + 0.95 (1 + cos(pi done)) / 2
Source    Loshchilov & Hutter, SGDR: Stochastic Gradient Descent with Warm Restarts, 2017, eq. 5
Differs   No restarts; a twentieth of the rate is left at the end.
"""

from __future__ import annotations

import math
from typing import final

from engine.nn.schedules.base import Schedule


@final
class Cosine(Schedule):
    says = "Falls along half a cosine wave to a twentieth."

    def after(self, step: int, done: float) -> float:
        return 0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * done))


SCHEDULE = Cosine
