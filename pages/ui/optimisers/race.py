"""The race on a surface: the picture that opens the page, and the step that is told below it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st

from engine.analysis.optimising import race
from engine.analysis.optimising.race import Course, Path, Racer
from engine.analysis.optimising.surfaces import COLUMNS, ROWS, SURFACES, Surface
from engine.core.registry import schedules
from engine.core.trace import FieldSpec, Kind
from engine.views import theme
from engine.views.base import number
from pages.ui import address, ask, board, language, place, plate, train
from pages.ui.optimisers import formula

BOARD = board.Board("descend/race.js")
FIRST = ("plain", "sgd", "rmsprop", "adam")
LOSS = FieldSpec("loss", Kind.PROBABILITY, ("unit",), "The loss of two weights.")
LOWEST = -2.0  # power of ten of the loss, below which the surface has one colour
STEPS = 150
AMONG = ("valley", "turned", "rosenbrock", "saddle", "four")


@st.cache_data(max_entries=64, show_spinner=False)
def _run(surface: str, racer: str, rate: float, course: Course) -> Path:
    return race.run(SURFACES[surface], race.racers()[racer], rate, course)


@st.cache_data(max_entries=64, show_spinner="Looking for the best rate")
def _best(surface: str, racer: str, course: Course) -> float:
    return race.rate_of(SURFACES[surface], race.racers()[racer], course)


def show() -> None:
    known = race.racers()
    row = ask.line()
    id = ask.pick("Surface", {i: SURFACES[i].title for i in AMONG}, "surface", where=row, width=190)
    surface = SURFACES[id]
    chosen = row.multiselect(
        "Optimisers",
        list(known),
        list(FIRST),
        format_func=lambda i: known[i].title,
        key="racers",
        filter_mode="contains",
        bind="query-params",
        width=520,
    )
    more = row.popover("Rates, schedule, noise")
    course, factor = _course(surface, id, more)
    if not chosen:
        st.info("Choose at least one optimiser above, or better two.")
        return
    rates = {i: factor * _best(id, i, Course(surface.start, course.steps)) for i in chosen}
    paths = [_run(id, i, rates[i], course) for i in chosen]
    with place.panel("surface"):
        BOARD.show(_data(id, surface, paths, list(known), course), lambda w: _moved(id, w))
        for sentence in said(surface, paths):
            st.markdown(sentence)
        _link(paths, course)
    left, right = st.columns((6, 6))
    with left:
        _losses(paths, surface)
    with right:
        formula.show(surface, {path.racer.id: path for path in paths})


def _course(surface: Surface, id: str, where: Any) -> tuple[Course, float]:
    """How they run, and what the rate of each is multiplied by."""
    with where:
        st.markdown(
            "Each optimiser has the best of 13 rates from 0.0001 to 1: the one that is lowest in the"
            " end from the first start of the surface."
        )
        power = ask.slider("All rates times 2ⁿ", "times", -4, 4, 0, 1)
        schedule = ask.pick("Schedule", schedules.ids(), "falls", "constant")
        warmup = ask.slider("Warm-up, steps", "warm", 0, 10, 0, 1)
        decay = ask.slider("Weight decay", "decay", 0.0, 1.0, 0.0, 0.01)
        noise = ask.slider(
            "Noise in each gradient, standard deviation", "noise", 0.0, 5.0, 0.0, 0.1
        )
        seed = ask.between(st.number_input, "Seed of the noise", "seed", 0, 999_999, 0)
        left, right, bottom, top = surface.box
        _elsewhere(id)
        x = ask.between(st.number_input, "Start, x", "x", left, right, surface.start[0])
        y = ask.between(st.number_input, "Start, y", "y", bottom, top, surface.start[1])
    st.session_state["surface.of"] = {"surface": id, "x": x, "y": y}
    course = Course((float(x), float(y)), STEPS, schedule, int(warmup), decay, noise, int(seed))
    return course, 2.0**power


def _elsewhere(id: str) -> None:
    """Another surface begins elsewhere, unless the start was chosen together with it."""
    before = st.session_state.get("surface.of")
    if before and before["surface"] != id:
        for name in ("x", "y"):
            if st.session_state.get(name) == before[name]:
                st.session_state.pop(name, None)
                st.query_params.pop(name, None)


def _moved(id: str, asked: Mapping[str, Any]) -> None:
    """The start was dragged."""
    left, right, bottom, top = SURFACES[id].box
    x, y = board.number(asked, "x", left, right), board.number(asked, "y", bottom, top)
    if x is not None and y is not None:
        st.session_state["x"], st.session_state["y"] = x, y
        address.choosing("x")
        address.choosing("y")
        first_x, first_y = map(str, SURFACES[id].start)
        address.write_all({"x": (str(x), first_x), "y": (str(y), first_y)})


@st.cache_data(max_entries=8, show_spinner=False)
def _levels(id: str) -> tuple[str, float, float]:
    """The power of ten of the loss as bytes of a picture, and its ends."""
    found = np.log10(np.maximum(SURFACES[id].grid(), 10**LOWEST))
    low, high = float(found.min()), float(found.max())
    shares = (found - low) / (high - low)
    return b64encode((255 * shares).astype(np.uint8).tobytes()).decode(), low, high


def _data(
    id: str, surface: Surface, paths: list[Path], order: list[str], course: Course
) -> dict[str, Any]:
    levels, low, high = _levels(id)
    stops = {
        name: list(theme.stops(LOSS, dark))[:5][::-1]
        for name, dark in (("light", False), ("dark", True))
    }
    return {
        "surface": id,
        "box": surface.box,
        "rows": ROWS,
        "columns": COLUMNS,
        "levels": levels,
        "scale": {"low": low, "high": high, **stops},
        "lowest": surface.lowest,
        "start": course.start,
        "paths": [
            {
                "name": language.say(path.racer.title),
                "colour": order.index(path.racer.id),
                "w": [[float(f"{v:.5g}") for v in w] for w in path.w.tolist()],
                "loss": [float(f"{v:.4g}") for v in path.loss.tolist()],
                "lost": path.lost and (path.lost[0], language.say(path.lost[1])),
            }
            for path in paths
        ],
    }


def said(surface: Surface, paths: list[Path]) -> list[str]:
    """Sentences: who is lowest in the end, who was lost, and why the surface is hard."""
    there = [path for path in paths if not path.lost]
    parts = []
    if there:
        best = min(there, key=lambda path: path.loss[-1])
        parts.append(
            f"{best.racer.title} is lowest after {best.steps} steps: its loss is"
            f" {number(float(best.loss[-1]))}."
        )
    parts += [
        f"{path.racer.title} diverges: its loss is {path.lost[1]} from step {path.lost[0]} on."
        for path in paths
        if path.lost
    ]
    return [*parts, surface.says]


def _link(paths: list[Path], course: Course) -> None:
    """The optimiser that was lowest, in the training room."""
    there = [path for path in paths if not path.lost] or paths
    best: Racer = min(there, key=lambda path: path.loss[-1]).racer
    train.link(
        {
            "optimiser": best.optimiser,
            "momentum": best.momentum,
            "schedule": course.schedule,
            "decay": course.decay,
        },
        text="stories",
        label=f"Train with this: {best.title}",
    )


def _losses(paths: list[Path], surface: Surface) -> None:
    rates = ", ".join(f"{path.racer.title} {path.rate[0]:.4g}" for path in paths if path.steps)
    drawn = plate.lines(
        "race",
        "Loss after each step",
        [(path.racer.title, range(len(path.loss)), path.loss) for path in paths],
        "surface",
        f"Rates at step 1: {rates}",
        tight=True,
        x="step",
        y="loss",
        of_series="",
        log_y=True,
        model=surface.title,
    )
    plate.show(drawn)
