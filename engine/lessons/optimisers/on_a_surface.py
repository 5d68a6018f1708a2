"""The race on a surface, which opens the page, and any of its steps with its numbers."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.core.registry import schedules
from engine.core.trace import FieldSpec, Kind
from engine.frame.blocks import (
    Beside,
    Block,
    Board,
    Chart,
    Controls,
    Formula,
    Line,
    Problem,
    Section,
    Train,
    Warn,
    curves,
)
from engine.frame.control import Others, number, pick, several, slider
from engine.frame.part import Blocks, once, part
from engine.language.message import Message, _
from engine.lessons.optimisers import race as races
from engine.lessons.optimisers import steps
from engine.lessons.optimisers.race import Course, Path
from engine.lessons.optimisers.surfaces import COLUMNS, ROWS, SURFACES, Surface
from engine.views import base, theme

FIRST = ("plain", "sgd", "rmsprop", "adam")
LOSS = FieldSpec("loss", Kind.PROBABILITY, ("unit",), "The loss of two weights.")
LOWEST = -2.0  # power of ten of the loss, below which the surface has one colour
STEPS = 150
AMONG = ("valley", "turned", "rosenbrock", "saddle", "four")
COURSE = ("times", "falls", "warm", "decay", "noise", "seed", "x", "y")


@once
def ran(
    surface: str,
    racer: str,
    times: int,
    falls: str,
    warm: int,
    decay: float,
    noise: float,
    seed: int,
    x: float,
    y: float,
) -> Path:
    on, who = SURFACES[surface], races.racers()[racer]
    rate = races.rate_of(on, who, Course(on.start, STEPS)) * 2.0**times
    return races.run(on, who, rate, Course((x, y), STEPS, falls, warm, decay, noise, seed))


def chosen_steps(chosen: Others) -> int:
    return max(1, ran(chosen["surface"], chosen["of"], *(chosen[name] for name in COURSE)).steps)


def among(chosen: Others) -> dict[str, str]:
    titles = races.titles()
    return {id: titles[id] for id in chosen["racers"] or FIRST}


@part("", always=True)
def race(
    *,
    surface: str = pick("Surface", {id: SURFACES[id].title for id in AMONG}, width=190),
    racers: tuple[str, ...] = several("Optimisers", races.titles, FIRST),
    times: int = slider("All rates times 2ⁿ", -4, 4, 0, width=0),
    falls: str = pick("Schedule", schedules.ids(), "constant", width=0),
    warm: int = slider("Warm-up, steps", 0, 10, 0, width=0),
    decay: float = slider("Weight decay", 0.0, 1.0, 0.0, 0.01, width=0),
    noise: float = slider(
        "Noise in each gradient, standard deviation", 0.0, 5.0, 0.0, 0.1, width=0
    ),
    seed: int = number("Seed of the noise", 0, 999_999, 0, width=0),
    x: float = number(
        "Start, x",
        lambda chosen: SURFACES[chosen["surface"]].box[0],
        lambda chosen: SURFACES[chosen["surface"]].box[1],
        lambda chosen: SURFACES[chosen["surface"]].start[0],
        0.01,
        width=0,
    ),
    y: float = number(
        "Start, y",
        lambda chosen: SURFACES[chosen["surface"]].box[2],
        lambda chosen: SURFACES[chosen["surface"]].box[3],
        lambda chosen: SURFACES[chosen["surface"]].start[1],
        0.01,
        width=0,
    ),
    of: str = pick("Step of", among, width=190),
    step_n: int = number("Step", 1, chosen_steps, 1),
) -> Blocks:
    more = Controls(
        COURSE,
        "Rates, schedule, noise",
        note="Each optimiser has the best of 13 rates from 0.0001 to 1: the one that is lowest in the"
        " end from the first start of the surface.",
    )
    yield Line([Controls(["surface", "racers"]), more])
    if not racers:
        raise ValueError("Choose at least one optimiser above, or better two.")
    on = SURFACES[surface]
    course = times, falls, warm, decay, noise, seed, x, y
    paths = {id: ran(surface, id, *course) for id in racers}
    drawn = Board("descend/race.js", board(surface, (x, y), paths), {"x": "x", "y": "y"})
    best = min(_there(paths) or paths.values(), key=lambda path: path.loss[-1]).racer
    settings = {
        "optimiser": best.optimiser,
        "momentum": best.momentum,
        "schedule": falls,
        "decay": decay,
    }
    train = Train(
        settings, text="stories", words=_("Train with this: {title}", title=Message(best.title))
    )
    yield Section("Surface", [drawn, *said(on, paths), train])
    yield Beside([[losses(paths)], [Section("Step", step(on, paths[of], step_n))]])


@once
def levels(surface: str) -> tuple[str, float, float]:
    """The power of ten of the loss as bytes of a picture, and its ends."""
    found = np.log10(np.maximum(SURFACES[surface].grid(), 10**LOWEST))
    low, high = float(found.min()), float(found.max())
    shares = (found - low) / (high - low)
    return b64encode((255 * shares).astype(np.uint8).tobytes()).decode(), low, high


def board(id: str, start: tuple[float, float], paths: dict[str, Path]) -> dict[str, Any]:
    surface, order = SURFACES[id], [*races.titles()]
    pixels, low, high = levels(id)
    stops = {
        name: list(theme.stops(LOSS, dark))[:5][::-1]
        for name, dark in (("light", False), ("dark", True))
    }
    return {
        "surface": id,
        "box": surface.box,
        "rows": ROWS,
        "columns": COLUMNS,
        "levels": pixels,
        "scale": {"low": low, "high": high, **stops},
        "lowest": surface.lowest,
        "start": start,
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


def _there(paths: dict[str, Path]) -> list[Path]:
    return [path for path in paths.values() if not path.lost]


def said(surface: Surface, paths: dict[str, Path]) -> Blocks:
    """Who is lowest in the end, who was lost, and why the surface is hard."""
    if there := _there(paths):
        best = min(there, key=lambda path: path.loss[-1])
        yield _(
            "{title} is lowest after {steps} steps: its loss is {loss}.",
            title=Message(best.racer.title),
            steps=best.steps,
            loss=base.number(float(best.loss[-1])),
        )
    for path in paths.values():
        if path.lost:
            yield _(
                "{title} diverges: its loss is {lost} from step {step} on.",
                title=Message(path.racer.title),
                lost=Message(path.lost[1]),
                step=path.lost[0],
            )
    yield surface.says


def losses(paths: dict[str, Path]) -> Chart:
    return curves(
        "race",
        "Loss after each step",
        {p.racer.title: (range(len(p.loss)), p.loss) for p in paths.values()},
        "step",
        "loss",
        _(
            "Rates at step 1: {rates}",
            rates=", ".join(f"{p.racer.title} {p.rate[0]:.4g}" for p in paths.values() if p.steps),
        ),
        log_y=True,
    )


def step(surface: Surface, path: Path, at: int) -> Sequence[Block]:
    found: list[Block] = [Controls(["of", "step_n"])]
    if not path.steps:
        return [*found, Problem("There is no step: the loss is not finite at the start.")]
    found.append(Formula(rf"f(x, y) = {surface.formula}"))
    found += map(Formula, steps.lines(path, at))
    if path.lost and at == path.steps:
        found.append(
            Warn(
                _(
                    "After this step the loss is {lost}. It is a number before it; the step is too long"
                    " for the slope, and each one makes the next slope steeper.",
                    lost=Message(path.lost[1]),
                )
            )
        )
    return found
