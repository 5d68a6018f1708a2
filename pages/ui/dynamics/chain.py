"""Two maps one after the other: their Jacobians, the sum behind each entry of the product, and how far a linear step is
off."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis import two_maps
from engine.views.base import number
from pages.ui import ask, place, rows
from pages.ui.written import WANTED, edit, equations, matrix

X, STEP = ((1.0, 2.0),), ((0.01, -0.02),)
COLUMNS = ("x₀", "x₁")
ENTRIES = {f"{i}{j}": f"row {i}, column {j}" for i in range(2) for j in range(2)}


def show() -> None:
    with place.panel("chain"):
        st.subheader("The chain rule: Jacobians multiply", anchor=False)
        st.markdown(
            "A layer is a map, a deep network one map after another. The Jacobian of all is the **product** of"
            " the Jacobians, the last map leftmost, each at the point that the maps before it lead to. Here"
            " g(x) = (x₀², x₀ x₁, sin x₁) comes first, f(y) = (y₀ + y₁, y₁ y₂) second."
        )
        left, right, _ = st.columns((3, 3, 4))
        with left:
            st.caption("x")
            x = edit(np.array(X), ("",), COLUMNS, "chain.x", 260)
        with right:
            st.caption("a small step")
            step = edit(np.array(STEP), ("",), COLUMNS, "chain.step", 260)
        if not (np.isfinite(x).all() and np.isfinite(step).all()):
            st.info(WANTED)
            return
        found = two_maps.chained(x[0], step[0])
        equations(
            (
                ("J_f", matrix(found.f)),
                ("J_g", matrix(found.g)),
                (r"J_f\,J_g", matrix(found.whole)),
            )
        )
        entry = ask.pick("One entry of the product", ENTRIES, "entry", where=ask.line())
        i, j = map(int, entry)
        rows.show(
            {
                "k": [0, 1, 2],
                f"∂f{i}/∂yₖ": found.f[i].tolist(),
                f"∂gₖ/∂x{j}": found.g[:, j].tolist(),
                "product": found.parts[i, j].tolist(),
            },
            "chain.entry",
        )
        off = float(np.linalg.norm(found.true - found.linear))
        st.markdown(
            f"The sum is {number(float(found.whole[i, j]))}. After the small step the Jacobian expects"
            f" ({_numbers(found.linear)}); it is ({_numbers(found.true)}), {number(off)} off. Make the step ten"
            " times shorter: the error becomes a hundred times smaller."
        )


def _numbers(values: np.ndarray) -> str:
    return "; ".join(f"{x:.6g}" for x in values)
