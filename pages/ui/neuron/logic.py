"""What one neuron can compute of two bits, and what takes two layers."""

from __future__ import annotations

import streamlit as st

from engine.analysis import one_neuron
from engine.analysis.one_neuron import CORNERS, TASKS, Neuron
from pages.ui import rows

FRACTIONS = (
    "AND, w (10, 10), b −15",
    "OR, w (10, 10), b −5",
    "hidden 1",
    "hidden 2",
    "XOR, two layers",
)
FORMULAS = (
    r"h_1 = \sigma(20 x_1 + 20 x_2 - 10)",
    r"h_2 = \sigma(-20 x_1 - 20 x_2 + 30)",
    r"y = \sigma(20 h_1 + 20 h_2 - 30)",
)
BY_HAND = {"and": -15.0, "or": -5.0}  # the bias; both weights are 10


def show() -> None:
    found = one_neuron.separable()
    cannot = sorted(bits for bits, possible in found.items() if not possible)
    st.markdown(
        f"Two bits can be answered in {len(found)} ways. A line parts the ones from the zeros in"
        f" **{sum(found.values())} of {len(found)}**; the other {len(cannot)} are XOR and its opposite, whose ones"
        " lie on a diagonal."
    )
    made = {task: Neuron((10.0, 10.0), b).output(CORNERS) for task, b in BY_HAND.items()}
    hidden = one_neuron.xor()
    rows.show(
        [
            {
                "x₁": int(x1),
                "x₂": int(x2),
                "AND, w (10, 10), b −15": float(made["and"][n]),
                "OR, w (10, 10), b −5": float(made["or"][n]),
                "hidden 1": hidden[n][0],
                "hidden 2": hidden[n][1],
                "XOR, two layers": hidden[n][2],
                "wanted": TASKS["xor"][n],
            }
            for n, (x1, x2) in enumerate(CORNERS)
        ],
        forms=dict.fromkeys(FRACTIONS, "%.6f"),
    )
    st.markdown(
        "Hidden neuron 1 says OR, hidden neuron 2 says “not both”, and the neuron behind them is their AND. Two lines"
        " cut out the strip in which the ones lie."
    )
    for column, formula in zip(st.columns(3), FORMULAS, strict=True):
        column.latex(formula)
