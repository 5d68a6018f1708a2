"""One cell of the pictures, opened to the sums it comes from."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.views import theme
from pages.ui import ask, rows
from pages.ui.cures.flow import Found
from pages.ui.written import equations, number

FORMULA = (
    r"\frac{\partial L}{\partial h^l_t} ="
    r" \underbrace{\frac{\partial h^l_{t+1}}{\partial h^l_t}^{\!\top}"
    r" \frac{\partial L}{\partial h^l_{t+1}}}_{\text{from the next step}} +"
    r" \underbrace{\frac{\partial h^{l+1}_t}{\partial h^l_t}^{\!\top}"
    r" \frac{\partial L}{\partial h^{l+1}_t}}_{\text{from the layer above}}"
)


def show(found: Found) -> None:
    st.subheader("One cell, opened", anchor=False)
    st.markdown(
        "The gradient of a state has two parts: what comes back from the **next step** of its layer,"
        " and what comes down from the **layer above**, at the same step. In the top layer, at the"
        " last character, that is the loss itself."
    )
    st.latex(FORMULA, width="content")
    row = ask.line()
    net = ask.pick(
        "Net", {"cured": "with cures", "plain": "plain net"}, "of", "cured", row, width=130
    )
    it = found.cured if net == "cured" else found.plain
    last, top = len(found.text), len(it.gradient_LT) - 1
    # no slider has only one place
    t = (
        row.number_input("Character", 1, last, min(last, max(1, last - 1)), key=f"opened.t{last}")
        - 1
    )
    layer = row.number_input("Layer, 0: the input", 0, top, top, key=f"opened.l{top}")
    through_H, above_H, state_H = (
        part[layer, t].astype(float) for part in (it.through_LTH, it.above_LTH, it.state_LTH)
    )
    size, end = float(it.gradient_LT[layer, t]), float(it.gradient_LT[-1, -1])
    st.markdown(f"Layer {layer}, character {t + 1}, “{theme.visible(found.text[t])}”:")
    equations(
        (
            (r"\text{from the next step}", number(_length(through_H))),
            (r"\text{from the layer above}", number(_length(above_H))),
            (r"\text{length of their sum}", number(size)),
            (
                r"\text{share}",
                rf"{number(size)} / {number(end)} = {number(size / end if end else np.nan)}",
            ),
            (r"\text{signal}", number(float(it.signal_LT[layer, t]))),
        )
    )
    rows.show(
        {
            "unit": np.arange(len(state_H)),
            "state": state_H,
            "from the next step": through_H,
            "from the layer above": above_H,
            "sum": through_H + above_H,
        },
        "opened",
        dict.fromkeys(("state", "from the next step", "from the layer above", "sum"), "%.3g"),
        tallest=290,
    )
    st.caption(
        "The length is the square root of the sum of the squares of all 32 sums; the signal that of the"
        " mean of the squares of all 32 states."
    )


def _length(part_H: np.ndarray) -> float:
    return float(np.linalg.norm(part_H))
