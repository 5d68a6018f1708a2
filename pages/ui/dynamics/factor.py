"""By what one step multiplies a gradient: the slope of the activation alone, and the slope times the weight."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis import one_unit
from engine.core.trace import Field, Kind
from engine.views.base import number
from pages.ui import ask, place, plate
from pages.ui.plate import Plate

W, Z = np.linspace(12, -8, 41), np.linspace(-8, 8, 65)


def show() -> None:
    with place.panel("factor"):
        st.subheader("One step of a gradient: w σ′(z)", anchor=False)
        st.markdown(
            "The slope of σ is **at most 0.25**, at z = 0. Does every step therefore shrink a gradient to a quarter,"
            " even with ideal weights? **No**: the factor is the slope times the **weight**, 1 at w = 4 and 2 at"
            " w = 8. But large weights drive z away from 0, where the slope ends."
        )
        st.markdown(
            "A **residual connection**, y = x + F(x), adds 1 to the factor. The gradient is held up where F′ is small,"
            " grows where F′ is positive in every layer, and is lost where F′ is about −1."
        )
        row = ask.line()
        w = ask.slider("Weight of each layer", "fw", -8.0, 12.0, 4.0, 0.1, row, width=200)
        z = ask.slider("Sum z at each layer", "fz", -8.0, 8.0, 0.0, 0.1, row, width=200)
        depth = ask.slider("Layers", "fn", 1, 40, 10, 1, row, width=200)
        one = float(one_unit.factor(np.array([w]), np.array([z]))[0, 0])
        slope = float(one_unit.factor(np.array([1.0]), np.array([z]))[0, 0])
        layers, deep = np.arange(int(depth) + 1), int(depth)
        plain, added = one_unit.through(one, deep), one_unit.through(one, deep, residual=True)
        plate.row(
            _map(w, z),
            plate.lines(
                "depth",
                "The gradient, layer by layer",
                [
                    ("|w σ′(z)|ⁿ", layers, plain),
                    ("σ′(z)ⁿ, without the weight", layers, one_unit.through(slope, deep)),
                    ("|1 + w σ′(z)|ⁿ, residual", layers, added),
                ],
                "one unit",
                f"w {w:g}, z {z:g}",
                tight=True,
                x="layers",
                y="gradient",
                of_series="",
                log_y=True,
                model="one unit",
            ),
        )
        st.caption(
            f"One layer multiplies by {number(one)}, {deep} layers by {number(float(plain[-1]))}, with residual"
            f" connections by {number(float(added[-1]))}; the slope alone would leave {number(slope**deep)}."
        )


def _map(w: float, z: float) -> Plate:
    axes = {"row": [f"w {x:g}" for x in W], "column": [f"z {x:g}" for x in Z]}
    says = "Factor of one layer, |w σ′(z)|"
    field = Field.of(
        "factor", Kind.LOSS, axes, one_unit.factor(W, Z), says, unit="factor", domain=(0.0, 2.0)
    )
    return Plate(
        "factor",
        "heatmap",
        (field,),
        "one unit",
        f"Down: the weight from 12 to −8; across: the sum z from −8 to 8. Here: w {w:g}, z {z:g}",
        model="one unit",
        fluid=True,
    )
