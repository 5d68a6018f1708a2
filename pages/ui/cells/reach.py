"""How far a fresh cell's gradient reaches, lag by lag; the forget bias and the recurrent weights
decide."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from engine.core import cell_card
from engine.views.base import number
from pages.ui import plate, rows
from pages.ui.choice import one_of
from pages.ui.plate import Plate

LAGS = (5, 10, 20, 50, 99)


def show(cells: tuple[str, ...]) -> None:
    st.markdown(
        "Before training: how much would a small change of the input $k$ tokens ago still"
        " change the end? Where that is next to nothing, training has little to follow. It is"
        " not the whole story: Adam, which trains the cells above, divides each step by the"
        " size of past gradients, so a faint one that always points the same way can be"
        " enough."
    )
    left, right = st.columns(2, vertical_alignment="bottom")
    bias = left.slider(
        "Forget bias",
        0,
        6,
        0,
        key="bias",
        bind="query-params",
        help="0: torch's default, random values close to 0. Only cells with a forget gate have"
        " this bias.",
    )
    scale = one_of("Scale of recurrent weights", ["1", "3"], "times", where=right, link=True)
    found = {cell: reached(cell, float(bias), float(scale)) for cell in cells}
    plate.show(curve(found, bias, scale))
    table = [
        {"cell": cell_card.get(cell).name, **{f"lag {k}": number(float(r[k])) for k in LAGS}}
        for cell, r in found.items()
    ]
    rows.show(table, "reach")
    st.markdown(said(found, bias, scale))
    st.caption(
        "32 input numbers, 64 units, 100 tokens of noise, 16 streams, loss Σ h², seed 1; norm of"
        " the gradient at each token, relative to the last."
    )


@st.cache_data(max_entries=256, show_spinner=False)
def reached(cell: str, bias: float, scale: float) -> Any:
    from engine.analysis.contest.reach import Start, reach

    return reach(cell, Start(bias, scale))


def curve(found: dict[str, Any], bias: int, scale: str) -> Plate:
    return plate.lines(
        "reach",
        "Gradient of the end of the sequence with respect to each input",
        [(cell_card.get(cell).name, range(len(r)), r) for cell, r in found.items()],
        "contest",
        f"Untrained cells of 64 units, forget bias {bias or 'as it begins'}, recurrent weights"
        f" times {scale}",
        x="lag k",
        y="gradient, relative to lag 0",
        of_series="",
        log_y=True,
        tight=True,
        every=True,
        model=", ".join(found),
    )


def said(found: dict[str, Any], bias: int, scale: str) -> str:
    """What these curves show, each sentence true of them."""
    parts = []
    if "lstm" in found:
        reach_T = found["lstm"]
        if not bias and scale == "1":
            parts.append(
                "In an untrained LSTM the gradient vanishes too: at lag 50"
                f" {number(float(reach_T[50]))} of the gradient is left."
            )
            parts.append(
                "Its forget gates are near one half, and halves multiply. Raise the forget bias."
            )
        elif scale == "1":
            left = number(float(reach_T[50]))
            parts.append(
                f"With a forget bias of {bias} the forget gates of the LSTM begin near"
                f" {1 / (1 + np.exp(-bias)):.2f}; at lag 50 {left} of the gradient is left."
            )
    if "rnn" in found:
        end = float(found["rnn"][99])
        if end > 1:
            parts.append(
                "With these weights the gradient of the RNN explodes: at lag 99 it is"
                f" {number(end)} times that of the last token."
            )
        elif end == 0:
            parts.append("At lag 99 the RNN's gradient is 0: too small for a 32-bit number.")
    growing = [cell_card.get(c).name for c, r in found.items() if float(r[99]) > 1 and c != "rnn"]
    if growing:
        parts.append(
            f"At lag 99 it is larger than at the end in {' and '.join(growing)}: a gradient"
            " that does not fade can grow. Gradient clipping is the usual remedy."
        )
    if "lstm1997" in found:
        parts.append(
            "The LSTM of 1997 has no forget gate: it keeps everything, so its gradient does not"
            " fade."
        )
    if "dual_memory" in found:
        parts.append(
            "The long memory of the dual cell begins with a forget bias of 3. With that bias"
            " an LSTM reaches about as far, without a second memory."
        )
    return " ".join(parts)
