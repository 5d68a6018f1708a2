"""The learning rate of the first Transformer, asked for step 0."""

from __future__ import annotations

from collections.abc import Mapping

from engine.analysis.listings.base import Listing, Program
from engine.language.message import _

WIDTH, WARM = 512, 4_000


def faulty(step: int, width: int, warm: int) -> float:
    return float(width**-0.5 * min(step**-0.5, step * warm**-1.5))


def repaired(step: int, width: int, warm: int) -> float:
    step = step + 1
    return float(width**-0.5 * min(step**-0.5, step * warm**-1.5))


def measured(program: Program) -> Mapping[str, float]:
    return {_("step {n:,}", n=n): program(n - 1, WIDTH, WARM) for n in (1, WARM, 4 * WARM)}


LISTING = Listing(
    "A rate for step 0",
    "The formula counts steps from 1, torch's schedules from 0, and 0 to the power of −½ is a"
    " division by 0: the program ends before the first step. Counted from 1 the rate rises until"
    " step 4,000 and is half as high four times later.",
    faulty,
    repaired,
    measured,
)
