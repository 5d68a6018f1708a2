"""Eight activation functions side by side: their values, their slopes, and what tells them apart."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis.activations import ALL, steepest
from pages.ui import plate, rows

Z = np.linspace(-5, 5, 201)


def show() -> None:
    plate.row(
        *(
            plate.lines(
                id,
                title,
                [(of.title, Z, (of.slope if slope else of.of)(Z)) for of in ALL],
                "activation functions",
                "by formula",
                tight=True,
                x="sum z",
                y=y,
                of_series="",
                low=low,
                high=high,
                model="neuron",
            )
            for id, title, y, slope, low, high in (
                ("values", "What they make of a sum", "output", False, -1.2, 3),
                ("slopes", "How much of a small change passes", "slope", True, -0.2, 1.2),
            )
        )
    )
    ends = np.array([-4.0, 0.0, 4.0])
    rows.show(
        [
            {
                "function": of.title,
                "from": of.low,
                "to": of.high,
                "largest slope": steepest(of),
                **{f"slope at {z:g}": float(v) for z, v in zip(ends, of.slope(ends), strict=True)},
            }
            for of in ALL
        ],
        forms=dict.fromkeys(
            ("from", "to", "largest slope", *(f"slope at {z:g}" for z in ends)), "%.4g"
        ),
    )
    st.markdown(
        "**Ten layers, the best case.** Each layer multiplies the gradient by its weight and by the slope. With weights"
        f" of 1 a sigmoid leaves at most 0.25¹⁰ = {0.25**10:.2g} of it, a hard sigmoid {(1 / 6) ** 10:.2g}; tanh and"
        " ReLU can leave all of it. With a weight of 4 a sigmoid could, too: the slope is only one of the factors."
    )
    st.markdown(
        "**tanh is a sigmoid**, twice as high, twice as narrow, moved down by 1: tanh z = 2 σ(2z) − 1. So its slope is"
        " four times as large, and it is flat at half the sum."
    )
    st.caption(
        "A ReLU has no slope at all below 0: a neuron that stands there for every input is dead, it learns nothing any"
        " more. Leaky ReLU and ELU keep a little. GELU falls below 0 before it rises, so its slope is negative there."
    )
