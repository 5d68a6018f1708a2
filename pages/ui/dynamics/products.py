"""Two statements that are often got wrong, with a counter-example to change: how long a product of two matrices is,
and which product is the Jacobian of a layer."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis import two_matrices
from engine.views.base import number
from pages.ui import place, plate
from pages.ui.written import WANTED, edit, equations, matrix

A, B = ((2.0, 0.0), (0.0, 0.0)), ((0.0, 0.0), (0.0, 2.0))
W, BIAS, X = ((1.0, 2.0), (3.0, 4.0)), ((-0.5, 0.2),), ((0.3, -0.1),)
ROWS, COLUMNS = ("row 0", "row 1"), ("column 0", "column 1")


def show() -> None:
    with place.panel("products"):
        st.subheader("Two long steps may make a short one", anchor=False)
        st.markdown(
            "If every step lengthens something, must the product explode? **No**: a product is at most as long"
            " as its factors multiplied, and may be 0. From below only the **smallest** singular values bound"
            " it. Here A and B are each 2 long; what A keeps, B removes. Change them."
        )
        left, right = st.columns((3, 7))
        with left:
            a_HH = edit(np.array(A), ROWS, COLUMNS, "products.a", 300)
            b_HH = edit(np.array(B), ROWS, COLUMNS, "products.b", 300)
        if not (np.isfinite(a_HH).all() and np.isfinite(b_HH).all()):
            st.info(WANTED)
            return
        found = two_matrices.lengths(a_HH, b_HH)
        with left:
            st.markdown(
                f"The product AB is {number(found.product)} long, at most {number(found.above)}; the smallest"
                f" singular values promise at least {number(found.below)}."
            )
        bars = [
            ("smallest of A × smallest of B", [0], [found.below]),
            ("AB: its largest singular value", [1], [found.product]),
            ("largest of A × largest of B", [2], [found.above]),
        ]
        drawn = plate.lines(
            "products",
            "How long a product is",
            bars,
            "two matrices",
            "It lies between the two bounds; the upper one is no lower bound",
            x="bound from below, product, bound from above",
            y="length",
            of_series="",
            whole=True,
            model="two matrices",
        )
        plate.show(drawn, right)
    with place.panel("layer"):
        _layer()


def _layer() -> None:
    st.subheader("The Jacobian of a layer: D W, not W D", anchor=False)
    st.markdown(
        "Of h = σ(W x + b) the slope of σ belongs to the **outputs**, so D stands to the left of W. A gradient goes"
        " back through the transpose, Wᵀ D. Central differences decide."
    )
    columns = st.columns(3)
    names = (("W", W, ROWS), ("b", BIAS, ("",)), ("x", X, ("",)))
    found = []
    for column, (name, first, rows) in zip(columns, names, strict=True):
        with column:
            st.caption(name)
            found.append(edit(np.array(first), rows, COLUMNS, f"layer.{name}", 260))
    w_HH, b_1H, x_1H = found
    if not all(np.isfinite(part).all() for part in found):
        st.info(WANTED)
        return
    made = two_matrices.jacobian(w_HH, b_1H[0], x_1H[0])
    wrong = ~np.isclose(made["WD"], made["differences"], rtol=1e-3, atol=1e-6)
    equations(
        (
            (r"D\,W", matrix(made["DW"])),
            (r"\text{by central differences}", matrix(made["differences"])),
            (r"W\,D", matrix(made["WD"], wrong)),
        )
    )
