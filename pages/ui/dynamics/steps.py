"""One tanh unit over many steps: how its gradient shrinks, grows, or ends in saturation."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis import one_unit
from engine.views.base import number
from pages.ui import ask, place, plate

LARGEST = float(np.finfo(np.float32).max)


def show() -> None:
    with place.panel("steps"):
        st.subheader("One tanh unit: above 1 it may explode, and need not", anchor=False)
        st.markdown(
            "h = tanh(w h + b), with no input. While the sum stays at 0 the slope of tanh is 1, and n steps multiply a"
            " gradient by exactly **wⁿ**: 0.5¹⁰ is about 0.001, 1.5¹⁰ about 58. Anywhere else the slope is smaller."
            " Here the unit starts at 0.1: it saturates, and with the same w the gradient **vanishes**, sooner still"
            " with a bias of 3. Start at 0, and it explodes. |w| above 1 is necessary for that, and not enough."
        )
        row = ask.line()
        w = ask.slider("Weight w", "tw", -3.0, 3.0, 1.5, 0.1, row, width=160)
        b = ask.slider("Bias b", "tb", -3.0, 3.0, 0.0, 0.1, row, width=160)
        start = ask.slider("State at the start, h₀", "th", -1.0, 1.0, 0.1, 0.1, row, width=160)
        count = ask.slider("Steps", "tn", 1, 300, 10, 1, row, width=160)
        states, gradient = one_unit.network(w, b, start, count, tanh=True)
        steps, bound = np.arange(count + 1), one_unit.through(w, count)
        plate.row(
            plate.lines(
                "steps",
                "Gradient of the unit",
                [("|∂h_t/∂h₀|", steps, gradient), ("|w|ⁿ", steps, bound)],
                "one unit",
                f"w {w:g}, b {b:g}, from {start:g}",
                tight=True,
                x="steps",
                y="gradient",
                of_series="",
                log_y=True,
                model="one unit",
            ),
            plate.lines(
                "states",
                "State of the unit",
                [("h_t", steps, states)],
                "one unit",
                f"w {w:g}, b {b:g}, from {start:g}",
                tight=True,
                x="steps",
                y="state",
                of_series="",
                model="one unit",
            ),
        )
        over = np.flatnonzero(gradient > LARGEST)
        end = (
            f" It is infinite in float32 from step {over[0]} on: an update by it is no finite number."
            if len(over)
            else ""
        )
        st.caption(
            f"After {count} steps the gradient is {number(float(gradient[-1]))}; with a slope of 1 it would be"
            f" {number(float(bound[-1]))}.{end}"
        )
