"""Two units: what the eigenvalues of a matrix promise of its powers, and what its singular values
do."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis import one_unit
from engine.views.base import number
from pages.ui import place, plate
from pages.ui.written import WANTED, edit

FIRST = ((0.9, 5.0), (0.0, 0.9))
NAMES = ("from 0", "from 1")
STEPS = 60


def show() -> None:
    with place.panel("norms"):
        st.subheader("Two units: eigenvalues and singular values", anchor=False)
        st.markdown(
            "Does a gradient vanish because the largest **eigenvalue** is below 1? In the end; but"
            " before that it may grow, as this matrix shows. What bounds every single step is the"
            " largest **singular value**. Change the matrix."
        )
        left, right = st.columns((3, 7))
        with left:
            a_HH = edit(np.array(FIRST), ("unit 0", "unit 1"), NAMES, "norms.a", 300)
            if not np.isfinite(a_HH).all() or np.abs(a_HH).max() > 100:
                st.info(WANTED)
                return
            radius = float(np.abs(np.linalg.eigvals(a_HH)).max())
            largest = float(np.linalg.norm(a_HH, 2))
            norms = one_unit.powers(a_HH, STEPS)
            top = int(norms.argmax())
            st.markdown(
                f"Largest eigenvalue {number(radius)}, largest singular value {number(largest)}."
                f" The longest of the powers is number {top}, with {number(float(norms[top]))}."
            )
        steps = np.arange(STEPS + 1)
        drawn = plate.lines(
            "powers",
            "A product of n steps",
            [
                ("largest singular value of Aⁿ", steps, norms),
                ("eigenvalue to the power n", steps, _powers(radius, steps)),
                ("singular value to the power n", steps, _powers(largest, steps)),
            ],
            "two units",
            "A small change after n steps, at most",
            tight=True,
            x="steps n",
            y="length",
            of_series="",
            log_y=True,
            model="two units",
        )
        plate.show(drawn, right)


def _powers(base: float, steps: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        found: np.ndarray = np.power(float(base), steps)
    return np.where(found < 1e12, found, np.nan)
