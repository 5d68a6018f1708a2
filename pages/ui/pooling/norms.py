"""What is left of a count that a memory keeps, where layer norm is put into the cell."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis import carried
from pages.ui import ask, plate, rows

STEPS = 30
OTHERS = np.array([2.0, 2.0, 5.0])


def show() -> None:
    st.markdown(
        "One unit counts: it forgets nothing and adds 1 at each step. Three others keep 2, 2 and 5."
        " All gates are held, so only the norm makes a difference."
    )
    row = ask.line()
    keep = ask.slider("Forget gate", "keep", 0.5, 1.0, 1.0, 0.01, row, width=200)
    of = {way: carried.run(way, OTHERS, STEPS, keep) for way in carried.WAYS}
    steps = range(STEPS + 1)
    plate.row(
        plate.lines(
            "norm-memory",
            "The counting unit's memory.",
            [(carried.WAYS[way], steps, memory[:, 0]) for way, (memory, _) in of.items()],
            "norms",
            "The first three lie on each other: their memory is the same.",
            x="steps",
            y="memory of the unit",
            whole=True,
            tight=True,
        ),
        plate.lines(
            "norm-kept",
            "What the last unit keeps of its 5.",
            [(carried.WAYS[way], steps, memory[:, 3]) for way, (memory, _) in of.items()],
            "norms",
            "Nothing is written to this unit.",
            x="steps",
            y="memory of the unit",
            whole=True,
            tight=True,
        ),
    )
    rows.show(
        [
            {
                "where the norm is": carried.WAYS[way],
                f"count after {STEPS} steps": f"{memory[-1, 0]:.2f}",
                "what was 5": f"{memory[-1, 3]:.2f}".replace("-", "−"),
                "counts on until step": f"{carried.told_apart(memory)}",
            }
            for way, (memory, _) in of.items()
        ]
    )
    st.caption(
        "A norm of the output leaves the memory alone, and the state that goes on is not normalised:"
        " the last output and the last state are then two different things. A norm where the memory"
        " is shown is that of the layer-norm LSTM here. A norm of what is carried on overwrites the"
        " memory at every step."
    )
