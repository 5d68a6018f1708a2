"""A rate that falls in a straight line, and a training that goes on."""

from __future__ import annotations

from collections.abc import Mapping

from engine.analysis.listings.base import Listing, Program

PEAK, WARM, STEPS = 1e-4, 10_000, 100_000


def faulty(step: int) -> float:
    if step < WARM:
        return PEAK * step / WARM
    return PEAK * (1 - (step - WARM) / (STEPS - WARM))


def repaired(step: int) -> float:
    if step < WARM:
        return PEAK * step / WARM
    return PEAK * max(0.0, 1 - (step - WARM) / (STEPS - WARM))


def measured(program: Program) -> Mapping[str, float]:
    return {f"rate at step {step:,}": program(step) for step in (5_000, 10_000, 110_000)}


LISTING = Listing(
    "A rate below 0",
    "The line is 0 at the last step that was planned and goes on falling behind it. With a rate"
    " below 0 every step climbs the loss instead of descending it. Cut off at 0, a training that"
    " runs on too long learns nothing more, and unlearns nothing.",
    faulty,
    repaired,
    measured,
)
