"""Schedules: the learning rate of every step, drawn with the mouse, as the training room takes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np
import streamlit as st

from engine.analysis.optimising import small_net
from engine.core.registry import models, schedules
from engine.nn.plan import Plan
from engine.views.base import number
from pages.ui import ask, board, train
from pages.ui.optimisers import net

BOARD = board.Board("descend/schedule.js")
POINTS = 240
MOST_TRAINED = 400  # steps of the small network
# name, schedule, highest rate, warm-up, steps
READY: Mapping[str, tuple[str, float, int, int]] = {
    "The usual one": ("cosine", 0.004, 100, 2_000),
    "First Transformer, width 512": ("noam", 512**-0.5 * 4_000**-0.5, 4_000, 100_000),
    "Warm-up and a straight line": ("linear", 1e-4, 10_000, 100_000),
    "For the small network": ("cosine", 0.02, 20, 200),
}
FIRST = READY["The usual one"]
KEYS = {"rate": "s_rate", "warmup": "s_warmup", "steps": "s_steps"}


def ranges() -> dict[str, tuple[float, float]]:
    """What the training room takes."""
    config = models.get(small_net.MODEL).config_type
    found = {one.name: one.metadata for one in fields(config)}
    return {name: (found[name]["min"], found[name]["max"]) for name in KEYS}


def curve(kind: str, rate: float, warmup: int, steps: int) -> list[tuple[int, float]]:
    """(step, rate) at POINTS of the steps, every corner among them."""
    plan = Plan(steps=steps, batch=1, span=1, rate=rate, schedule=kind, warmup=warmup)
    made = schedules.get(kind)(plan)
    corners = {1, plan.warm, plan.warm + 1, steps}
    corners |= {int(steps * share) + more for share in (0.5, 0.75) for more in (0, 1)}
    even = np.linspace(1, steps, min(steps, POINTS)).round().astype(int).tolist()
    return [(step, made.rate(step)) for step in sorted({*even, *corners}) if 1 <= step <= steps]


def show() -> None:
    limits = ranges()
    row = ask.line()
    kinds = schedules.ids()
    ready = row.popover("Ready-made")
    for n, (name, given) in enumerate(READY.items()):
        ready.button(name, key=f"s_ready.{n}", on_click=_choose, args=(given,))
    kind = ask.pick("Schedule", kinds, "schedule", FIRST[0], row, width=140)
    values: dict[str, Any] = {}
    for name, label, first, form in (
        ("rate", "Highest rate", FIRST[1], "%.6g"),
        ("warmup", "Warm-up, steps", FIRST[2], "%d"),
        ("steps", "Steps", FIRST[3], "%d"),
    ):
        low, high = limits[name]
        values[name] = ask.between(
            row.number_input,
            label,
            KEYS[name],
            *((low, high, first) if name == "rate" else (int(low), int(high), int(first))),
            format=form,
            step=0.001 if name == "rate" else 10,
            width=140,
        )
    plan = Plan(batch=1, span=1, schedule=kind, **values)
    found = curve(kind, **values)
    loss = net.overlay(st.session_state.get("s_trained"), kind, values)
    BOARD.show(
        {
            **values,
            "longest": max(1, values["steps"] // 10),
            "curve": found,
            "others": [
                {"name": other, "points": curve(other, **values)}
                for other in kinds
                if other != kind
            ],
            "loss": loss,
            "ranges": {name: limits[name] for name in ("rate", "steps")},
        },
        _drawn,
    )
    for sentence in said(kind, plan, found):
        st.markdown(sentence)
    _below(kind, values)


def said(kind: str, plan: Plan, points: list[tuple[int, float]]) -> list[str]:
    found = [
        schedules.get(kind).says,
        f"Step 1: {number(points[0][1])}; highest: {number(plan.rate)} at step {plan.warm:,}; last step:"
        f" {number(points[-1][1])}. Dotted: the other schedules.",
    ]
    if plan.warm < plan.warmup:
        found.append(f"A warm-up is at most a tenth of all steps, here {plan.warm:,}.")
    return found


def _below(kind: str, values: Mapping[str, Any]) -> None:
    row = ask.line()
    settings = {"schedule": kind, **values}
    fits = values["steps"] <= MOST_TRAINED
    if row.button(
        "Train the small network with it",
        key="s_train",
        disabled=not fits,
        help=f"With at most {MOST_TRAINED} steps; its loss is drawn over the schedule.",
    ):
        st.session_state["s_trained"] = (kind, dict(values), net.trained(net.settings_of(settings)))
        st.rerun(scope="fragment")
    train.link(settings, text="stories", where=row)
    st.caption(
        "“Start small and increase it” and “start small, later decrease it” are the same advice: first a"
        " warm-up, then a decay. The first step of a warm-up has a rate above 0, so that it"
        " learns too."
    )


def _choose(given: tuple[str, float, int, int]) -> None:
    st.session_state["schedule"] = given[0]
    for key, value in zip(KEYS.values(), given[1:], strict=True):
        st.session_state[key] = value


def _drawn(asked: Mapping[str, Any]) -> None:
    """A handle was dragged."""
    for name, (low, high) in ranges().items():
        found = board.number(asked, name, low, high)
        if found is not None:
            st.session_state[KEYS[name]] = found if name == "rate" else round(found)
