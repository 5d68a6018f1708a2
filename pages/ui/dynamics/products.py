"""Two statements that are often got wrong, with a counter-example to change: how long a product of two matrices is,
and which product is the Jacobian of a layer."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis import two_matrices
from engine.core.trace import Table
from engine.views.base import number
from engine.views.outlines import OUTLINE, POINTS
from pages.ui import ask, place, plate
from pages.ui.plate import Plate
from pages.ui.written import WANTED, edit, equations, matrix

A, B = ((2.0, 0.0), (0.0, 0.0)), ((0.0, 0.0), (0.0, 2.0))
W, BIAS, X = ((1.0, 2.0), (3.0, 4.0)), ((-0.5, 0.2),), ((0.3, -0.1),)
DEEPEST, LEAST = 10, 1e-30  # layers; the smallest length that is drawn
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
            found.append(edit(np.array(first), rows, COLUMNS, f"layer.{name}", 300))
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
    _plane(w_HH, b_1H[0], x_1H[0])
    _deep(w_HH, b_1H[0], x_1H[0])


def _deep(w_HH: np.ndarray, b_H: np.ndarray, x_H: np.ndarray) -> None:
    st.markdown(
        "**Layer on layer**: the same layer again and again. What a small change of x becomes behind k layers is the"
        " product of their Jacobians, the latest leftmost. A slope of σ is at most 1/4, so the product is at most"
        " (|W| / 4)ᵏ long: below |W| = 4 it must vanish, above it need not explode."
    )
    k = ask.slider("Behind layer k", "deep_k", 1, DEEPEST, 3, 1, ask.line(), width=240)
    found = two_matrices.deep(w_HH, b_H, x_H, DEEPEST)
    product = r"J_k" + r" \cdots J_1" * (k > 1)
    equations(
        (
            (r"h_k", matrix(found.h_KH[k - 1][:, None])),
            (product, matrix(found.product_KHH[k - 1])),
            (r"\sigma_1, \sigma_2", matrix(found.singular_KH[k - 1][None])),
        )
    )
    layers = np.arange(1, DEEPEST + 1)
    curves = {
        "largest singular value": found.singular_KH[:, 0],
        "smallest singular value": found.singular_KH[:, 1],
        "at most (|W| / 4)ᵏ": found.bound_K,
    }
    plate.show(
        plate.lines(
            "layer-deep",
            "How long the product is, layer by layer",
            [(name, layers, np.maximum(values, LEAST)) for name, values in curves.items()],
            "two matrices",
            f"W is {number(float(np.linalg.norm(w_HH, 2)))} long",
            x="layer",
            y="length",
            of_series="",
            log_y=True,
            tight=True,
            whole=True,
            model="two matrices",
        )
    )


def _plane(w_HH: np.ndarray, b_H: np.ndarray, x_H: np.ndarray) -> None:
    st.markdown(
        "The same as a map of the plane: a square around x, where the layer takes it, and the **parallelogram** that"
        " the Jacobian has instead. Make the square smaller: the two become one."
    )
    side = ask.slider("Side of the square", "side", 0.1, 4.0, 0.5, 0.1, ask.line(), width=200)
    found = two_matrices.square(w_HH, b_H, x_H, side)
    here = np.asarray(two_matrices.squash(w_HH @ x_H + b_H))
    plate.row(
        _outlined(
            "layer-before",
            "The plane before the layer",
            found.grid[0],
            {"the square": found.before},
            x_H,
        ),
        _outlined(
            "layer-after",
            "The plane behind it",
            found.grid[1],
            {"square behind the layer": found.after, "parallelogram of the Jacobian": found.linear},
            here,
        ),
    )
    area = abs(float(np.linalg.det(two_matrices.jacobian(w_HH, b_H, x_H)["DW"])))
    st.caption(
        f"At most {number(found.off)} lies between the edge and the parallelogram. The Jacobian makes areas"
        f" {number(area)} times as large: the size of its determinant."
    )


def _outlined(
    id: str, says: str, grid_M2: np.ndarray, outlines: dict[str, np.ndarray], x_H: np.ndarray
) -> Plate:
    forms = {"a grid": OUTLINE, "parallelogram of the Jacobian": OUTLINE}
    points = [
        (name, x, y, forms.get(name, POINTS))
        for name, edge in {"a grid": grid_M2, **outlines}.items()
        for x, y in edge - x_H
    ]
    table = Table.of_rows(id, says, ("series", "x", "y", "form"), points)
    options = {"x": "change of the first number", "y": "change of the second number"}
    return Plate(
        id,
        "outlines",
        (table,),
        "two matrices",
        "Changes from x" if id == "layer-before" else "Changes from h(x)",
        square=True,
        options=options,
        model="two matrices",
    )
