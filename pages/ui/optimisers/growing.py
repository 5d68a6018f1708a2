"""A growing batch: four ways to spend the same examples, on a bowl with noise."""

from __future__ import annotations

import streamlit as st

from engine.analysis.optimising import growing
from engine.views.base import number
from pages.ui import ask, plate, rows, train
from pages.ui.plate import Plate

MARKS = 300  # points of a curve


def show() -> None:
    st.markdown(
        "At the start the way is clear and a small, noisy batch is enough; near the minimum only the noise is"
        " left. So one either lets the learning rate fall, or lets the **batch grow**: noise acts by rate / batch,"
        " and both make it smaller. Growing takes fewer steps, and large batches are quick where many"
        " examples are computed at once."
    )
    row = ask.line()
    first = ask.slider("First batch", "g_first", 1, 64, 8, 1, row, width=180)
    factor = ask.slider("Times, at each stage", "g_factor", 2, 8, 4, 1, row, width=180)
    stages = ask.slider("Stages", "g_stages", 2, 5, 4, 1, row, width=150)
    rate = ask.slider("Learning rate", "g_rate", 0.05, 2.2, 0.5, 0.05, row, width=180)
    noise = ask.slider("Noise of one example", "g_noise", 0.0, 20.0, 5.0, 0.5, row, width=180)
    examples = first * factor ** (stages - 1) * stages * 16
    found = {
        name: growing.plan(kind, first, factor, stages, rate, examples)
        for kind, name in growing.NAMES.items()
    }
    lost = {name: growing.losses(plan, noise) for name, plan in found.items()}

    def curves(id: str, says: str, x: str, steps: bool) -> Plate:
        series = []
        for name, plan in found.items():
            at = range(len(lost[name])) if steps else plan.read
            every = max(1, len(lost[name]) // MARKS)
            series.append((name, [*at][::every], lost[name][::every]))
        return plate.lines(
            id,
            says,
            series,
            "bowl",
            f"{len(growing.CURVES)} directions, {examples:,} examples",
            tight=True,
            x=x,
            y="expected loss",
            of_series="",
            log_y=True,
            model="bowl",
        )

    plate.row(
        curves("by-examples", "Loss by examples read", "examples", False),
        curves("by-steps", "Loss by steps", "steps", True),
    )
    rows.show(
        [
            {
                "way": name,
                "batch": " → ".join(f"{b:,}" for b in dict.fromkeys(plan.batch.tolist())),
                "rate": " → ".join(number(r) for r in dict.fromkeys(plan.rate.tolist())),
                "steps": f"{len(plan.batch):,}",
                "loss at the end": float(lost[name][-1]),
            }
            for name, plan in found.items()
        ],
        forms={"loss at the end": "%.3g"},
    )
    grows, falls = (growing.NAMES[kind] for kind in ("grows", "falls"))
    st.markdown(
        f"The growing batch ends at {number(lost[grows][-1])} after **{len(found[grows].batch):,} steps**, the falling"
        f" rate at {number(lost[falls][-1])} after **{len(found[falls].batch):,}**. That one of them “often works"
        " best” is no rule: without noise the small batch alone ends lowest, and above a rate of 2 no batch is"
        " large enough."
    )
    train.link({"batch": first}, text="stories")
