"""The plain net with one cure at a time."""

from __future__ import annotations

import streamlit as st

from engine.analysis import cures
from engine.analysis.cures import Switches
from engine.views.base import number
from pages.ui import kept, rows
from pages.ui.cures.flow import VERDICTS, sizes

WHY = {
    "no cure": "Every step back multiplies by the slope and by W_hh.",
    "orthogonal start": "Every singular value of W_hh is 1: only the slope shrinks the gradient.",
    "ReLU, He start": "The slope is 1 or 0, and the weights are larger: it may explode instead.",
    "residual connections": "They lead past layers, not past steps.",
    "layer norm": "It divides by the spread of the units: large weights saturate nothing.",
    "batch norm": "The same by the spread over the texts; the texts now depend on each other.",
    "GRU": "1 − z of the state stays; as it begins, z is about a half.",
    "LSTM": "The share f of the memory stays; as it begins, f is about a half.",
    "LSTM, forget bias 3": "f is about 0.95: the memory hands the gradient on.",
}


def show(plain: Switches, text: str) -> None:
    st.subheader("Each cure by itself", anchor=False)
    st.markdown(
        "The plain net above with **one** change at a time. None of them is a guarantee: set other"
        " weights, another activation or more layers, and see which still hold."
    )
    names = ["no cure", *cures.flipped(plain)]
    found = measured(plain, text)
    head = ("cure", "first character", "gradient", "lowest layer", "signal at the end", "why")
    lines = [
        (
            name,
            number(first),
            VERDICTS[cures.verdict(first)],
            number(lowest),
            number(signal),
            WHY[name],
        )
        for name, (first, lowest, signal) in zip(names, found, strict=True)
    ]
    st.markdown(rows.written([head, *lines]))
    st.caption(
        "First character: the share of the gradient at the end that reaches its vector. Lowest layer:"
        " the share that reaches the first layer at the last character. Gradient: vanishes below"
        " 0.001, explodes above 1,000."
    )


@kept.data(max_entries=16, show_spinner="Measuring each cure…")
def measured(plain: Switches, text: str) -> list[tuple[float, float, float]]:
    return [
        (float(s.share_LT[0, 0]), float(s.share_LT[1, -1]), float(s.signal_LT[-1, -1]))
        for s in (sizes(each, text) for each in (plain, *cures.flipped(plain).values()))
    ]
