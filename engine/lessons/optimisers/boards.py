"""The race on a surface, whose start is dragged, with any of its steps in numbers; and the learning rate of every
step, as the training room takes it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import fields
from functools import partial
from typing import Any

import numpy as np

from engine import frame as fr
from engine.core.registry import models, schedules
from engine.core.trace import FieldSpec, Kind
from engine.language.message import Message, _
from engine.lessons.optimisers import race as races
from engine.lessons.optimisers import small_net, steps
from engine.lessons.optimisers.race import Course, Path
from engine.lessons.optimisers.surfaces import COLUMNS, ROWS, SURFACES, Surface
from engine.nn.plan import Plan
from engine.views import theme

FIRST = ("plain", "sgd", "rmsprop", "adam")
LOSS = FieldSpec("loss", Kind.PROBABILITY, ("unit",), "The loss of two weights.")
LOWEST = -2.0  # power of ten of the loss, below which the surface has one colour
STEPS = 150
COURSE = ("times", "falls", "warm", "decay", "noise", "seed", "x", "y")


@fr.once
def run(surface: str, racer: str, times: int, falls: str, warm: int, *more: Any) -> Path:
    on, who, (decay, noise, seed, x, y) = SURFACES[surface], races.racers()[racer], more
    rate = races.rate_of(on, who, Course(on.start, STEPS)) * 2.0**times
    return races.run(on, who, rate, Course((x, y), STEPS, falls, warm, decay, noise, seed))


def count_steps(chosen: fr.Others) -> int:
    return max(1, run(chosen["surface"], chosen["of"], *(chosen[name] for name in COURSE)).steps)


def raced(chosen: fr.Others) -> dict[str, str]:
    return {id: races.titles()[id] for id in chosen["racers"] or FIRST}


def along(label: str, axis: int) -> Any:
    """A place on the surface that is chosen."""

    def box(chosen: fr.Others, end: int) -> float:
        return SURFACES[chosen["surface"]].box[2 * axis + end]

    def begin(chosen: fr.Others) -> float:
        return SURFACES[chosen["surface"]].start[axis]

    return fr.number(label, partial(box, end=0), partial(box, end=1), begin, 0.01, width=0)


@fr.part("", always=True)
def race(
    *,
    surface: str = fr.pick("Surface", {id: one.title for id, one in SURFACES.items()}, width=190),
    racers: tuple[str, ...] = fr.several("Optimisers", races.titles, FIRST),
    times: int = fr.slider("All rates times 2ⁿ", -4, 4, 0, width=0),
    falls: str = fr.pick("Schedule", schedules.ids(), "constant", width=0),
    warm: int = fr.slider("Warm-up, steps", 0, 10, 0, width=0),
    decay: float = fr.slider("Weight decay", 0.0, 1.0, 0.0, 0.01, width=0),
    noise: float = fr.slider(
        "Noise in each gradient, standard deviation", 0.0, 5.0, 0.0, 0.1, width=0
    ),
    seed: int = fr.number("Seed of the noise", 0, 999_999, 0, width=0),
    x: float = along("Start, x", 0),
    y: float = along("Start, y", 1),
    of: str = fr.pick("Step of", raced, width=190),
    step_n: int = fr.number("Step", 1, count_steps, 1),
) -> fr.Blocks:
    note = (
        "Each optimiser has the best of 13 rates from 0.0001 to 1: the one that is lowest in the end from"
        " the first start of the surface."
    )
    more = fr.Controls(COURSE, "Rates, schedule, noise", note=note)
    yield fr.Line([fr.Controls(["surface", "racers"]), more])
    if not racers:
        raise ValueError("Choose at least one optimiser above, or better two.")
    course = times, falls, warm, decay, noise, seed, x, y
    paths = {id: run(surface, id, *course) for id in racers}
    there = [path for path in paths.values() if not path.lost]
    best = min(there or paths.values(), key=lambda path: path.loss[-1])
    who = best.racer
    settings = {"optimiser": who.optimiser, "momentum": who.momentum}
    settings |= {"schedule": falls, "decay": decay}
    hero: list[fr.Block] = [
        fr.Board("descend/race.js", pack_board(surface, x, y, paths), {"x": "x", "y": "y"})
    ]
    if there:
        least = _(
            "{title} is lowest after {best.steps} steps: its loss is {loss}.",
            title=Message(who.title),
            best=best,
            loss=best.loss[-1],
        )
        hero.append(least)
    for path in paths.values():
        if path.lost:
            diverges = _(
                "{title} diverges: its loss is {lost} from step {step} on.",
                title=Message(path.racer.title),
                lost=Message(path.lost[1]),
                step=path.lost[0],
            )
            hero.append(diverges)
    words = _("Train with this: {title}", title=Message(who.title))
    hero += [SURFACES[surface].says, fr.Train(settings, text="stories", words=words)]
    yield fr.Section("Surface", hero)
    rates = ", ".join(f"{p.racer.title} {p.rate[0]:.4g}" for p in paths.values() if p.steps)
    losses = fr.curves(
        "race",
        "Loss after each step",
        {path.racer.title: (range(len(path.loss)), path.loss) for path in paths.values()},
        "step",
        "loss",
        _("Rates at step 1: {rates}", rates=rates),
        log_y=True,
    )
    yield fr.Beside(
        [[losses], [fr.Section("Step", [*step_of(SURFACES[surface], paths[of], step_n)])]]
    )


@fr.once
def levels(surface: str) -> tuple[str, float, float]:
    """The power of ten of the loss as bytes of a picture, and its ends."""
    found = np.log10(np.maximum(SURFACES[surface].grid(), 10**LOWEST))
    low, high = float(found.min()), float(found.max())
    shares = (found - low) / (high - low)
    return b64encode((255 * shares).astype(np.uint8).tobytes()).decode(), low, high


def pack_board(id: str, x: float, y: float, paths: Mapping[str, Path]) -> dict[str, Any]:
    surface, order = SURFACES[id], [*races.titles()]
    pixels, low, high = levels(id)
    modes = (("light", False), ("dark", True))
    stops = {mode: list(theme.stops(LOSS, dark))[:5][::-1] for mode, dark in modes}
    return {
        "surface": id,
        "box": surface.box,
        "rows": ROWS,
        "columns": COLUMNS,
        "levels": pixels,
        "scale": {"low": low, "high": high, **stops},
        "lowest": surface.lowest,
        "start": (x, y),
        "paths": [
            {
                "name": path.racer.title,
                "colour": order.index(racer),
                "w": [[float(f"{v:.5g}") for v in w] for w in path.w.tolist()],
                "loss": [float(f"{v:.4g}") for v in path.loss.tolist()],
                "lost": path.lost,
            }
            for racer, path in paths.items()
        ],
    }


def step_of(surface: Surface, path: Path, at: int) -> fr.Blocks:
    yield fr.Controls(["of", "step_n"])
    if not path.steps:
        yield fr.Problem("There is no step: the loss is not finite at the start.")
        return
    yield fr.Formula(rf"f(x, y) = {surface.formula}")
    yield from map(fr.Formula, steps.lines(path, at))
    if path.lost and at == path.steps:
        yield fr.Warn(
            _(
                "After this step the loss is {lost}. It is a number before it; the step is too long for the"
                " slope, and each one makes the next slope steeper.",
                lost=Message(path.lost[1]),
            )
        )


POINTS = 240
MOST_TRAINED = 400  # steps of the small network
CHOSEN = ("schedule", "s_rate", "s_warmup", "s_steps")
# schedule, highest rate, warm-up, steps
READY: Mapping[str, tuple[str, float, int, int]] = {
    "The usual one": ("cosine", 0.004, 100, 2_000),
    "First Transformer, width 512": ("noam", 512**-0.5 * 4_000**-0.5, 4_000, 100_000),
    "Warm-up and a straight line": ("linear", 1e-4, 10_000, 100_000),
    "For the small network": ("cosine", 0.02, 20, 200),
}
USUAL = READY["The usual one"]
ROOM = {one.name: one.metadata for one in fields(models.get(small_net.MODEL).config_type)}
RANGES = {name: (ROOM[name]["min"], ROOM[name]["max"]) for name in ("rate", "warmup", "steps")}


def curve(kind: str, rate: float, warmup: int, steps: int) -> list[tuple[int, float]]:
    """(step, rate) at POINTS of the steps, every corner among them."""
    plan = Plan(steps=steps, batch=1, span=1, rate=rate, schedule=kind, warmup=warmup)
    made = schedules.get(kind)(plan)
    corners = {1, plan.warm, plan.warm + 1, steps}
    corners |= {int(steps * share) + more for share in (0.5, 0.75) for more in (0, 1)}
    even = np.linspace(1, steps, min(steps, POINTS)).round().astype(int).tolist()
    return [(step, made.rate(step)) for step in sorted({*even, *corners}) if 1 <= step <= steps]


@fr.part("Learning rate")
def schedule(
    *,
    schedule: str = fr.pick("Schedule", schedules.ids(), USUAL[0], width=140),
    s_rate: float = fr.number("Highest rate", *RANGES["rate"], USUAL[1], 0.001, "%.6g", 140),
    s_warmup: int = fr.number("Warm-up, steps", *RANGES["warmup"], USUAL[2], 10, "%d", 140),
    s_steps: int = fr.number("Steps", *RANGES["steps"], USUAL[3], 10, "%d", 140),
    s_train: bool = fr.start(
        "Train the small network with it",
        of=CHOSEN,
        ready=lambda chosen: chosen["s_steps"] <= MOST_TRAINED,
        help=_(
            "With at most {most} steps; its loss is drawn below the schedule.", most=MOST_TRAINED
        ),
    ),
) -> fr.Blocks:
    ready = {name: dict(zip(CHOSEN, values, strict=True)) for name, values in READY.items()}
    yield fr.Line([fr.Presets("Ready-made", ready), fr.Controls(CHOSEN)])
    settings = {"schedule": schedule, "rate": s_rate, "warmup": s_warmup, "steps": s_steps}
    every = {kind: curve(kind, s_rate, s_warmup, s_steps) for kind in (schedule, *schedules.ids())}
    drawn: fr.Series = {k: tuple(zip(*points, strict=True)) for k, points in every.items()}  # type: ignore[misc]
    yield fr.curves("schedule", "Learning rate by step", drawn, "step", "learning rate", low=0)
    if s_train and s_steps <= MOST_TRAINED:
        trained = yield from small_net.trained("Training a small LSTM", **settings)
        losses = small_net.smooth(trained.loss)
        loss = {schedule: (range(1, len(losses) + 1), losses)}
        yield fr.curves("trained", "Loss of the small network", loss, "step", "nats a letter")
    found = every[schedule]
    yield schedules.get(schedule).says
    warm = Plan(steps=s_steps, batch=1, span=1, rate=s_rate, warmup=s_warmup).warm
    yield _(
        "Step 1: {first}; highest: {rate} at step {warm:,}; last step: {last}.",
        first=found[0][1],
        rate=s_rate,
        warm=warm,
        last=found[-1][1],
    )
    if warm < s_warmup:
        yield _("A warm-up is at most a tenth of all steps, here {warm:,}.", warm=warm)
    yield fr.Line([fr.Controls(["s_train"]), fr.Train(settings, text="stories")])
    yield fr.Note(
        "“Start small and increase it” and “start small, later decrease it” are the same advice: first a"
        " warm-up, then a decay. The first step of a warm-up has a rate above 0, so that it learns too."
    )
