"""What stands on the page: the race, and below it the other choices."""

from __future__ import annotations

from engine.lessons.optimisers import (
    accumulate,
    decay,
    early,
    growing,
    noise,
    on_a_surface,
    schedule,
    small_net,
    smoothing,
)

PARTS = (
    on_a_surface.race,
    schedule.schedule,
    small_net.net,
    noise.noise,
    growing.growing,
    accumulate.accumulation,
    smoothing.smoothing,
    decay.decay,
    early.early,
)
