"""Constant: warm up, then the same rate to the end.

What      share = 1
Source    Robbins & Monro, A Stochastic Approximation Method, 1951, show why it should fall: at one
          rate steps never come to rest
"""

from __future__ import annotations

from typing import final

from engine.nn.schedules.base import Schedule


@final
class Constant(Schedule):
    says = "The same rate throughout."

    def after(self, step: int, done: float) -> float:
        return 1.0


SCHEDULE = Constant
