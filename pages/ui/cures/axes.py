"""Batch norm and layer norm: which cells share a mean."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis import normalised
from engine.core.trace import Field, Kind
from pages.ui import ask, choice, plate
from pages.ui.plate import Plate
from pages.ui.written import WANTED, edit, number

TEXTS, STEPS, UNITS = 4, 2, 3
FIRST = np.array(
    [[1, 4, -1], [3, 0, 2], [2, 4, 0], [0, 1, 2], [3, 1, 1], [5, 2, 0], [4, -1, 2], [1, 2, 3]],
    float,
)
WAYS = {
    "batch": "batch norm, each step",
    "batch_time": "batch norm, all steps",
    "layer": "layer norm",
}
OVER = {
    "batch": "over the texts, for each step and each unit",
    "batch_time": "over the texts and the steps, for each unit",
    "layer": "over the units, for each text and each step",
}


def show() -> None:
    st.subheader("Layer norm and batch norm", anchor=False)
    st.markdown(
        "Both subtract a mean and divide by a spread. They differ in **which numbers share a mean**:"
        " cells of one colour in the middle picture. Change a number, or the number of texts, and see"
        " which other cells change."
    )
    row = ask.line()
    over = choice.one_of("Norm", WAYS, "over", where=row, link=True)
    texts = ask.slider("Texts", "texts", 1, TEXTS, TEXTS, 1, row, width=120)
    gain = ask.slider("Gain γ", "gain", 0.1, 10.0, 1.0, 0.1, row, width=150)
    shift = ask.slider("Shift β", "shift", -10.0, 10.0, 0.0, 0.5, row, width=150)
    updates = 0
    if over != "layer" and (texts > 1 or over == "batch_time"):
        updates = ask.slider("Updates, then it reads", "updates", 0, 50, 0, 1, row, width=170)
    names = [f"text {b + 1}, step {t + 1}" for b in range(texts) for t in range(STEPS)]
    units = [f"unit {n + 1}" for n in range(UNITS)]
    with st.expander("Change the numbers"):
        x_NH = edit(FIRST[: len(names)], names, units, f"axes.{texts}", 420)
    if not np.isfinite(x_NH).all():
        st.info(WANTED)
        return
    x_BTH = x_NH.reshape(texts, STEPS, UNITS)
    made = normalised.normalise(x_BTH, over, gain, shift)
    if updates:
        made = normalised.afterwards(x_BTH, over, gain, shift, updates)
    plate.row(
        _grid("axes-before", "Input", x_NH, names, units, "x", 6),
        _grid("axes-mean", "Mean", made.mean_BTH, names, units, "μ", 6),
        _grid(
            "axes-after", "After", made.y_BTH, names, units, "y", max(2.0, gain * 2 + abs(shift))
        ),
    )
    group = made.group_BTH == made.group_BTH[0, 0, 0]
    values = x_NH.reshape(made.group_BTH.shape)[group]
    mean, spread = float(made.mean_BTH[0, 0, 0]), float(made.deviation_BTH[0, 0, 0])
    terms = " + ".join(f"({x:g})" if x < 0 else f"{x:g}" for x in values)
    st.markdown(f"Averaged {OVER[over]}. For text 1, step 1, unit 1:")
    begins, left = "", 0.9**updates if updates else 0.0
    if updates:
        st.markdown(
            f"After {updates} updates on this batch, each of which moves mean and variance a tenth of the way, from 0"
            f" and 1: {1 - left:.0%} of the way. A single text then is read by these numbers, whatever stands"
            " beside it."
        )
        begins = rf"(1 - 0.9^{{{updates}}})\cdot"
    st.latex(
        rf"\mu = {begins}\frac{{{terms}}}{{{len(values)}}} = {number(mean)} \qquad \sigma = {number(spread)}",
        width="content",
    )
    st.latex(
        rf"y = {gain:g}\cdot\frac{{{values[0]:g} - ({number(mean)})}}{{\sqrt{{{number(spread)}^2 +"
        rf" 0.00001}}}} + ({shift:g}) = {number(float(made.y_BTH[0, 0, 0]))}",
        width="content",
    )
    y = made.y_BTH
    slope = 1 / (1 + np.exp(-np.clip(y, -700, 700)))
    slope = slope * (1 - slope)
    alone = (
        " With one text, batch norm at each step makes everything the shift: nothing is left of the text."
        if texts == 1 and over == "batch"
        else ""
    )
    st.caption(
        f"Through a sigmoid these results have slopes between {float(slope.min()):.2g} and"
        f" {float(slope.max()):.2g}, where 0.25 is the most: a large gain or shift, which are learned,"
        f" saturates it again.{alone} Layer norm treats every text alone, also in a batch of one."
    )


def _grid(
    id: str,
    title: str,
    values: np.ndarray,
    names: list[str],
    units: list[str],
    symbol: str,
    reach: float,
) -> Plate:
    field = Field.of(
        id,
        Kind.STATE,
        {"row": names, "unit": units},
        values.reshape(len(names), len(units)),
        title,
        symbol,
        domain=(-reach, reach),
    )
    return Plate(
        id, "heatmap", (field,), "typed", "", options={"reading": False}, model="typed", fluid=True
    )
