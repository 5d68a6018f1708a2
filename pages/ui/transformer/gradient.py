"""Norm first or after: how much gradient reaches the first block of a deep stack, measured here on
fresh weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from engine.analysis.residual_stream import depth
from engine.views.base import number
from pages.ui import ask, plate, rows
from pages.ui.plate import Plate

MOST_NUMBERS = 12


def show() -> None:
    st.subheader("Why is there a norm, and where?", anchor=False)
    st.markdown(
        "Training sends the error back through all blocks. Below, stacks of feed-forward blocks"
        " with fresh random weights (width 64, 32 random inputs): how large is the gradient of"
        " each block's weights? Nothing is trained; torch computes the gradients when you move"
        " the slider."
    )
    left, right = st.columns((3, 2), vertical_alignment="bottom")
    blocks = left.slider("Blocks", 2, 48, 24, key="blocks", bind="query-params")
    seed = ask.between(right.number_input, "Seed of the random weights", "draw", 0, 9999, 0)
    found = {kind: measured(kind, int(blocks), seed) for kind in depth.KINDS}
    plate.show(curve(found))
    st.markdown(said(found))
    st.markdown(
        "The 2017 paper put the norm after each block. Norm first has since proved more stable:"
        " it needs no learning-rate warm-up, and a stack with the norm after each block can"
        " fail to train without one (Xiong et al., 2020). Norm first needs one more norm at the"
        " end, before the output weights."
    )
    norm_of_one_vector()


@st.cache_data(max_entries=256, show_spinner=False)
def measured(kind: str, blocks: int, seed: int) -> Any:
    return depth.gradients(kind, blocks, seed=seed)


def curve(found: dict[str, Any]) -> Plate:
    return plate.lines(
        "gradients",
        "Gradient of each block's weights, first block at the left",
        [(depth.KINDS[kind], range(1, len(g) + 1), g) for kind, g in found.items()],
        "depth",
        "Random feed-forward blocks of width 64",
        x="block",
        y="norm of the gradient",
        of_series="",
        log_y=True,
        whole=True,
        tight=True,
        every=True,
        model="random blocks",
    )


def said(found: dict[str, Any]) -> str:
    """What these numbers show, each sentence true of them."""
    after, before, bare = (found[kind] for kind in ("after", "before", "bare"))
    first = (
        f"With neither, block 1 gets **{number(float(bare[0] / bare[-1]))}** of the gradient of the"
        " last block."
    )
    short = " The first blocks would hardly learn." if bare[0] < 1e-3 * bare[-1] else ""
    ratio_before, ratio_after = float(before[0] / before[-1]), float(after[0] / after[-1])
    return (
        f"{first}{short} With norm and residual connection it is **{number(ratio_before)}**"
        " times that of the last block where the norm comes first, and"
        f" **{number(ratio_after)}** times where it comes after."
    )


def norm_of_one_vector() -> None:
    st.markdown("##### A norm, by hand")
    left, right = st.columns((3, 1))
    text = left.text_input(
        "Numbers of one vector", "1 2 3 4", key="vector", bind="query-params", max_chars=200
    )
    epsilon = right.number_input("ε", 0.0, 1.0, 1e-5, format="%g", key="epsilon")
    try:
        values = [float(part.replace(",", ".")) for part in text.split()]
    except ValueError:
        values = []
    # NaN is not below a million either
    if not (2 <= len(values) <= MOST_NUMBERS and all(abs(value) <= 1e6 for value in values)):
        st.info(f"Type two to {MOST_NUMBERS} numbers, separated by spaces, none above a million.")
        return
    epsilon = epsilon if epsilon or np.ptp(values) else 1e-5
    mean, variance, normed = depth.layer_norm(values, epsilon)
    st.markdown(
        f"Mean {number(mean)}, variance {number(variance)} (the squares divided by {len(values)},"
        f" not by {len(values) - 1}). Each number minus the mean, divided by"
        f" $\\sqrt{{{number(variance)} + ε}}$:"
    )
    table = [
        {"vector": name, **{str(i): number(float(v)) for i, v in enumerate(row, 1)}}
        for name, row in (("before", values), ("after the norm", normed))
    ]
    rows.show(table, "normed")
    st.caption(
        "Twice the vector gives the same result: try 2 4 6 8. A part that adds 0.5 −0.5 0.5"
        " −0.5 to 1 2 3 4 makes 1.5 1.5 3.5 3.5, normed −1 −1 1 1. A learned gain and shift"
        " follow, one of each for every number in the vector. RMS norm, as in Llama, does not"
        " subtract the mean."
    )
