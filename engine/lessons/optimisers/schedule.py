"""Schedules: the learning rate of every step, drawn with the mouse, as the training room takes it."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import fields

import numpy as np

from engine.core.registry import models, schedules
from engine.frame.blocks import Block, Board, Controls, Line, Note, Presets, Train
from engine.frame.control import number, pick, start
from engine.frame.part import Blocks, part
from engine.language.message import _
from engine.lessons.optimisers import small_net
from engine.nn.plan import Plan
from engine.views.base import number as written

POINTS = 240
MOST_TRAINED = 400  # steps of the small network
KEYS = {"rate": "s_rate", "warmup": "s_warmup", "steps": "s_steps"}
CHOSEN = ("schedule", *KEYS.values())
# schedule, highest rate, warm-up, steps
READY: Mapping[str, tuple[str, float, int, int]] = {
    "The usual one": ("cosine", 0.004, 100, 2_000),
    "First Transformer, width 512": ("noam", 512**-0.5 * 4_000**-0.5, 4_000, 100_000),
    "Warm-up and a straight line": ("linear", 1e-4, 10_000, 100_000),
    "For the small network": ("cosine", 0.02, 20, 200),
}
FIRST = READY["The usual one"]


def ranges() -> dict[str, tuple[float, float]]:
    """What the training room takes."""
    found = {one.name: one.metadata for one in fields(models.get(small_net.MODEL).config_type)}
    return {name: (found[name]["min"], found[name]["max"]) for name in KEYS}


RANGES = ranges()
WHOLE = {name: (int(least), int(most)) for name, (least, most) in RANGES.items()}


def curve(kind: str, rate: float, warmup: int, steps: int) -> list[tuple[int, float]]:
    """(step, rate) at POINTS of the steps, every corner among them."""
    plan = Plan(steps=steps, batch=1, span=1, rate=rate, schedule=kind, warmup=warmup)
    made = schedules.get(kind)(plan)
    corners = {1, plan.warm, plan.warm + 1, steps}
    corners |= {int(steps * share) + more for share in (0.5, 0.75) for more in (0, 1)}
    even = np.linspace(1, steps, min(steps, POINTS)).round().astype(int).tolist()
    return [(step, made.rate(step)) for step in sorted({*even, *corners}) if 1 <= step <= steps]


@part("Learning rate")
def schedule(
    *,
    schedule: str = pick("Schedule", schedules.ids(), FIRST[0], width=140),
    s_rate: float = number("Highest rate", *RANGES["rate"], FIRST[1], 0.001, "%.6g", 140),
    s_warmup: int = number("Warm-up, steps", *WHOLE["warmup"], FIRST[2], 10, "%d", 140),
    s_steps: int = number("Steps", *WHOLE["steps"], FIRST[3], 10, "%d", 140),
    s_train: bool = start(
        "Train the small network with it",
        of=CHOSEN,
        ready=lambda chosen: chosen["s_steps"] <= MOST_TRAINED,
        help=_(
            "With at most {most} steps; its loss is drawn over the schedule.", most=MOST_TRAINED
        ),
    ),
) -> Generator[Block, None, None]:
    ready = {name: dict(zip(CHOSEN, values, strict=True)) for name, values in READY.items()}
    yield Line([Presets("Ready-made", ready), Controls(CHOSEN)])
    values = {"rate": s_rate, "warmup": s_warmup, "steps": s_steps}
    settings, loss = {"schedule": schedule, **values}, []
    if s_train and s_steps <= MOST_TRAINED:
        trained = yield from small_net.trained("Training a small LSTM", **settings)
        loss = [(n, round(value, 4)) for n, value in enumerate(small_net.smooth(trained.loss), 1)]
    found = curve(schedule, s_rate, s_warmup, s_steps)
    others = [
        {"name": kind, "points": curve(kind, s_rate, s_warmup, s_steps)}
        for kind in schedules.ids()
        if kind != schedule
    ]
    data = {
        **values,
        "longest": max(1, s_steps // 10),
        "curve": found,
        "others": others,
        "loss": loss,
        "ranges": {name: RANGES[name] for name in ("rate", "steps")},
    }
    yield Board("descend/schedule.js", data, KEYS)
    yield from said(schedule, s_rate, s_warmup, s_steps)
    yield Line([Controls(["s_train"]), Train(settings, text="stories")])
    yield Note(
        "“Start small and increase it” and “start small, later decrease it” are the same advice: first a"
        " warm-up, then a decay. The first step of a warm-up has a rate above 0, so that it"
        " learns too."
    )


def said(kind: str, rate: float, warmup: int, steps: int) -> Blocks:
    points = curve(kind, rate, warmup, steps)
    warm = Plan(steps=steps, batch=1, span=1, rate=rate, schedule=kind, warmup=warmup).warm
    yield schedules.get(kind).says
    yield _(
        "Step 1: {first}; highest: {rate} at step {warm:,}; last step: {last}. Dotted: the other"
        " schedules.",
        first=written(points[0][1]),
        rate=written(rate),
        warm=warm,
        last=written(points[-1][1]),
    )
    if warm < warmup:
        yield _("A warm-up is at most a tenth of all steps, here {warm:,}.", warm=warm)
