"""Eight activation functions side by side: their values, their slopes, and what tells them apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st

from engine.analysis.activations import ALL, steepest, zeros
from engine.views.base import number
from pages.ui import plate, rows

NONE: Mapping[str, Any] = {}
SLOPES: Mapping[str, Any] = {"low": -0.2, "high": 1.2}
Z = np.linspace(-4, 4, 201)


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
                **ends,
                model="neuron",
            )
            for id, title, y, slope, ends in (
                ("values", "What they make of a sum", "output a", False, NONE),
                (
                    "slopes",
                    "How much of a small change passes",
                    "slope f′(z)",
                    True,
                    SLOPES,
                ),
            )
        )
    )
    places = np.array([-4.0, 0.0, 4.0])
    rows.show(
        [
            {
                "Activation function": of.title,
                "Lowest value": number(of.low),
                "Highest value": number(of.high),
                "outputs that are 0": zeros(of),
                "largest slope": steepest(of),
                **{
                    f"slope at {z:g}": float(v)
                    for z, v in zip(places, of.slope(places), strict=True)
                },
            }
            for of in ALL
        ],
        forms={"outputs that are 0": rows.SHARE}
        | dict.fromkeys(
            (
                "largest slope",
                *(f"slope at {z:g}" for z in places),
            ),
            "%.4g",
        ),
    )
    st.markdown(
        "**Ten layers, the best case.** Each layer multiplies the gradient by its weight and by the slope. With weights"
        f" of 1 a sigmoid leaves at most 0.25¹⁰ = {number(0.25**10)} of it, a hard sigmoid {number((1 / 6) ** 10)};"
        " tanh and ReLU can leave all of it. With a weight of 4 a sigmoid could, too: the slope is only one of the"
        " factors."
    )
    st.markdown(
        "**tanh is a sigmoid**, twice as high, twice as narrow, moved down by 1: tanh z = 2 σ(2z) − 1. So its slope is"
        " four times as large, and it is flat at half the sum."
    )
    st.markdown(
        "**Sparse or not.** Of sums that are normally distributed around 0, a ReLU makes one half exactly 0; such"
        " units add"
        " nothing to what comes behind. The other functions leave hardly any at 0, GELU none, though many of its"
        " outputs"
        " are small."
    )
    st.caption(
        "A ReLU has no slope at all below 0: a neuron that stands there for every input is dead, it learns nothing any"
        " more. Leaky ReLU and ELU keep a little. GELU falls below 0 before it rises, so its slope is negative there."
    )
