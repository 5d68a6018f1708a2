"""The three views of one unit, driven by the same numbers."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis import one_unit
from engine.analysis.one_unit import TIME, WANTED
from engine.core.trace import Field, Kind
from engine.views.base import number
from pages.ui import ask, place, plate
from pages.ui.plate import Plate

STEPS, DESCENT = 30, 30
STARTS = (0.0, 0.25, 0.5, 0.75, 1.0)
WAY = 12.0  # of a system's way, in its time
B = (-6.0, 3.0)
SPAN = np.linspace(*B, 181)


def show() -> None:
    row = ask.line()
    w = ask.slider("Weight w", "w", -8.0, 8.0, 5.0, 0.1, row, width=165)
    b = ask.slider("Bias b", "b", *B, -2.5, 0.01, row, width=165)
    start = ask.slider("State at the start, h₀", "h", 0.0, 1.0, 0.4, 0.01, row, width=165)
    plate.row(_fixed(w, b, start), _paths(w, b))
    st.markdown(said(w, b, start))
    plate.row(_bifurcation(w, b), _network(w, b, start))
    plate.show(_cliff(w, b, start))
    with place.panel("surface"):
        plate.show(_surface(w, b, start))
    with place.panel("clipping"):
        _ball(w, start)
    with place.panel("plane"):
        _plane(start)


def short(value: float) -> str:
    return f"{value:g}".replace("-", "−")


def said(w: float, b: float, start: float) -> str:
    """What the three views say together."""
    fixed = one_unit.fixed_points(w, b)
    stable = [h for h, slope in fixed if abs(slope) < 1]
    end = float(one_unit.system(w, b, start)[-1])
    left = float(one_unit.network(w, b, start, STEPS)[1][-1])
    slope = min(fixed, key=lambda point: abs(point[0] - end))[1]
    many = "1 fixed point" if len(fixed) == 1 else f"{len(fixed)} fixed points"
    held = f"{len(stable)} of them stable" if len(fixed) > 1 else "and it is stable"
    if not stable:
        held = "and it is not stable: the network jumps between two states"
    return (
        f"{many}, {held}. From {number(start)} the system comes to {number(end)}, where one step"
        f" multiplies a small change by {number(slope)}. Over {STEPS} steps the gradient of the"
        " network "
        f"{'**vanishes**' if left < 1e-3 else '**explodes**' if left > 100 else 'stays within reach'}:"
        f" it is {number(left)}. The loss is"
        f" {number(one_unit.loss(w, b, start))}."
    )


def _fixed(w: float, b: float, start: float) -> Plate:
    h = np.linspace(0, 1, 101)
    fixed = one_unit.fixed_points(w, b)
    points = [
        (
            name,
            [x for x, s in fixed if (abs(s) < 1) is held],
            [x for x, s in fixed if (abs(s) < 1) is held],
        )
        for name, held in (("Stable", True), ("Unstable", False))
    ]
    return plate.lines(
        "fixed",
        "System: its fixed points",
        [
            ("σ(w h + b)", h, one_unit.squash(w * h + b)),
            ("h", h, h),
            *((name, xs, ys) for name, xs, ys in points if len(xs) == 1),
            *(
                (f"{name} ({n})", [x], [x])
                for name, xs, _ in points
                if len(xs) > 1
                for n, x in enumerate(xs, 1)
            ),
        ],
        "one unit",
        f"w {short(w)}, b {short(b)}; they lie where the curve crosses the line",
        tight=True,
        x="h",
        y="next h",
        of_series="",
        model="one unit",
    )


def _paths(w: float, b: float) -> Plate:
    """Each ends at a stable point; an unstable one between two parts those that go to either."""
    every = slice(None, None, 4)
    time = one_unit.DT * np.arange(round(WAY / one_unit.DT) + 1)
    return plate.lines(
        "paths",
        "System: its way from many starts",
        [
            (f"from {first:g}", time[every], one_unit.system(w, b, first, WAY)[every])
            for first in np.linspace(0, 1, 9).tolist()
        ],
        "one unit",
        f"w {short(w)}, b {short(b)}; dh/dt = σ(w h + b) − h",
        tight=True,
        x="time",
        y="h",
        of_series="state at the start",
        low=0.0,
        high=1.0,
        model="one unit",
    )


def _network(w: float, b: float, start: float) -> Plate:
    series = []
    for first in dict.fromkeys((start, *STARTS)):
        _, gradient = one_unit.network(w, b, first, STEPS)
        series.append((f"from {first:g}", range(STEPS + 1), gradient))
    return plate.lines(
        "network",
        "Network: its gradient",
        series[:5],
        "one unit",
        f"w {short(w)}, b {short(b)}; how long a small change of the first state is after t steps",
        tight=True,
        x="steps",
        y="gradient",
        of_series="state at the start",
        log_y=True,
        model="one unit",
    )


def _bifurcation(w: float, b: float) -> Plate:
    series = [
        (name, b_N[inside], h_N[inside])
        for name, (b_N, h_N) in one_unit.branches(w).items()
        if (inside := (b_N >= B[0]) & (b_N <= B[1])).any()
    ]
    here = [h for h, _ in one_unit.fixed_points(w, b)]
    marks = [
        (f"here {n}" if len(here) > 1 else "at this bias", [b], [h]) for n, h in enumerate(here, 1)
    ]
    folds = " and ".join(f"{short(round(x, 4))}" for x in sorted(x for _, x in one_unit.folds(w)))
    return plate.lines(
        "bifurcation",
        "System: fixed points by bias",
        [*series, *marks],
        "one unit",
        f"w {short(w)}; the fixed points merge at b = {folds}"
        if folds
        else f"w {short(w)}: one fixed point at any bias",
        tight=True,
        x="bias b",
        y="h",
        of_series="",
        model="one unit",
    )


def _cliff(w: float, b: float, start: float) -> Plate:
    losses = one_unit.surface(np.array([w]), SPAN, start)[0]
    return plate.lines(
        "cliff",
        "Loss, by bias",
        [
            (f"({WANTED:g} − h(T))²", SPAN, losses),
            ("at this bias", [b], [one_unit.loss(w, b, start)]),
        ],
        "one unit",
        f"w {short(w)}, from {start:g}, after a time of {TIME:g}",
        tight=True,
        x="bias b",
        y="loss",
        of_series="",
        model="one unit",
    )


def _surface(w: float, b: float, start: float) -> Plate:
    w_N, b_M = np.linspace(8, 0, 25), np.linspace(*B, 73)
    axes = {"row": [f"w {x:.2f}" for x in w_N], "column": [f"b {x:.3f}" for x in b_M]}
    says = f"Loss over weight and bias, from a state of {start:g}"
    field = Field.of(
        "loss",
        Kind.LOSS,
        axes,
        one_unit.surface(w_N, b_M, start),
        says,
        unit="squared distance",
        domain=(0.0, 0.75),
    )
    return Plate(
        "surface",
        "heatmap",
        (field,),
        "one unit",
        f"Down: the weight from 8 to 0; across: the bias from {short(B[0])} to {short(B[1])}. The edge"
        f" is the cliff. Here: w {short(w)}, b {short(b)}",
        model="one unit",
        fluid=True,
    )


def _ball(w: float, start: float) -> None:
    st.subheader("A ball that rolls off the cliff", anchor=False)
    row = ask.line()
    first = ask.slider("It begins at bias", "ball", *B, -2.3, 0.01, row, width=240)
    power = ask.slider("Learning rate, power of ten", "rate", -2.0, 2.0, 0.5, 0.1, row, width=240)
    clip = ask.slider("Longest gradient", "clip", 0.01, 2.0, 0.1, 0.01, row, width=240)
    rate = 10**power
    plain, clipped = (one_unit.descend(w, first, start, rate, c, DESCENT) for c in (0.0, clip))
    steps = range(DESCENT + 1)
    plate.row(
        *(
            plate.lines(
                id,
                title,
                [("not clipped", steps, plain[i]), (f"clipped at {clip:g}", steps, clipped[i])],
                "one unit",
                f"w {short(w)}, rate {rate:.3g}",
                tight=True,
                x="step of descent",
                y=y,
                of_series="",
                model="one unit",
            )
            for i, (id, title, y) in enumerate(
                (("ball", "Where the ball is", "bias b"), ("descent", "Its loss", "loss"))
            )
        )
    )
    far = max(1, int(np.abs(np.diff(plain[0])).argmax()) + 1)
    st.caption(
        f"The longest step without clipping is number {far}, by"
        f" {number(float(np.abs(np.diff(plain[0])).max()))}; clipped no step is longer than"
        f" {number(rate * clip)}. Clipping keeps the direction and shortens the step; it does"
        " nothing for a gradient that has vanished."
    )


def _plane(start: float) -> None:
    st.subheader("The same in two dimensions", anchor=False)
    st.markdown(
        "Now the ball may change weight **and** bias. At the cliff its gradient is long, and points across it: without"
        " clipping one step throws it far off, where the loss is flat and nothing calls it back. Clipped by its norm,"
        " a step keeps its direction."
    )
    row = ask.line()
    w = ask.slider("It begins at weight", "pw", 0.0, 8.0, 6.0, 0.1, row, width=165)
    b = ask.slider("and bias", "pb", *B, -2.8, 0.01, row, width=165)
    power = ask.slider("Rate, power of ten", "prate", -2.0, 2.0, 1.0, 0.1, row, width=165)
    clip = ask.slider("Longest gradient", "pclip", 0.01, 2.0, 0.1, 0.01, row, width=165)
    rate = 10**power
    paths = {
        name: one_unit.descend_both(w, b, start, rate, c, DESCENT, ((-2.0, 12.0), (-12.0, 6.0)))
        for name, c in (("not clipped", 0.0), (f"clipped at {clip:g}", clip))
    }
    edge_w = np.linspace(4.01, 8, 60)
    edge = [[one_unit.folds(x)[n][1] for x in edge_w] for n in (0, 1)]
    of = f"from w {short(w)}, b {short(b)}, rate {rate:.3g}"
    plate.row(
        plate.lines(
            "plane",
            "Its way over weight and bias",
            [
                ("cliff: fixed points merge", edge[0], edge_w),
                ("cliff, other side", edge[1], edge_w),
                *((name, b_N, w_N) for name, (w_N, b_N, _) in paths.items()),
            ],
            "one unit",
            of,
            tight=True,
            x="bias b",
            y="weight w",
            of_series="",
            model="one unit",
        ),
        plate.lines(
            "plane_loss",
            "Its loss",
            [(name, range(len(loss_N)), loss_N) for name, (_, _, loss_N) in paths.items()],
            "one unit",
            of,
            tight=True,
            x="step of descent",
            y="loss",
            of_series="",
            model="one unit",
        ),
    )
    ends = [f"{name}: {number(float(found[2][-1]))}" for name, found in paths.items()]
    _, by_w, by_b = one_unit.slopes(w, b, start)
    w_N, b_N, _ = paths["not clipped"]
    far = float(np.hypot(np.diff(w_N), np.diff(b_N)).max(initial=0.0))
    st.caption(
        f"At the start the gradient is ({number(by_w)}, {number(by_b)}), for weight and bias. The longest step without"
        f" clipping is {number(far)} long. Loss at the end, {'; '.join(ends)}."
    )
