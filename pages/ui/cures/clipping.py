"""Clipping: one gradient as an arrow, and a stream of gradients with a spike."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis import clipped, recall
from engine.core.trace import Table
from engine.views.base import number
from engine.views.outlines import ARROW, OUTLINE
from pages.ui import ask, choice, kept, plate
from pages.ui.plate import Plate

ROUND = np.linspace(0, 2 * np.pi, 97)
SAYS = {
    "noted": "The gradient enters the threshold that it is held against: a spike raises its own limit.",
    "past": "Held against the threshold of before, and clipped when it enters: a spike moves nothing,"
    " but at the mean about half of all gradients are clipped, and the threshold only falls.",
    "twice": "Twice the mean of those before, as trainings here do it: only what is unusual is clipped.",
}
STEPS = 40


def show() -> None:
    _arrow()
    _stream()


def _arrow() -> None:
    st.subheader("Clipping as an arrow", anchor=False)
    left, right = st.columns((6, 5), gap="medium")
    with left:
        st.markdown(
            "A gradient of two numbers. **By norm**: an arrow that is longer than the circle is cut at"
            " it; the direction stays. **By value**: each number by itself stays within the square; the"
            " direction turns."
        )
        row = ask.line()
        g = (
            ask.slider("First number", "g1", -15.0, 15.0, 0.5, 0.5, row, width=190),
            ask.slider("Second number", "g2", -15.0, 15.0, 10.0, 0.5, row, width=190),
        )
        threshold = ask.slider("Threshold θ", "theta", 0.5, 15.0, 5.0, 0.5, row, width=190)
        by_norm, by_value = (clipped.arrow(g, kind, threshold) for kind in ("norm", "value"))
        length = float(np.hypot(*g))
        scale = rf"\min\left(1, \frac{{{threshold:g}}}{{{length:.4g}}}\right)"
        share = min(1.0, threshold / length) if length else 1.0
        st.latex(rf"|g| = \sqrt{{({g[0]:g})^2 + ({g[1]:g})^2}} = {length:.4g}", width="content")
        st.latex(rf"{scale} = {share:.4g}", width="content")
        st.latex(
            rf"\text{{by norm: }} {share:.4g}\,g = ({by_norm[0]:.4g}, {by_norm[1]:.4g})",
            width="content",
        )
        st.latex(rf"\text{{by value: }} ({by_value[0]:.4g}, {by_value[1]:.4g})", width="content")
        st.markdown(
            f"Clipping by norm turns the arrow by **{clipped.turned(g, by_norm):.2f}°**, clipping by"
            f" value by **{clipped.turned(g, by_value):.2f}°**. A short gradient stays as it is:"
            " neither makes one longer."
        )
        with st.expander("The same as a program"):
            st.code(torch_program(threshold), language="python")
            st.code(keras_program(threshold), language="python")
    plate.show(_plane(g, threshold, by_norm, by_value), right)


def torch_program(threshold: float) -> str:
    return f"""loss.backward()  # there is nothing to clip before
torch.nn.utils.clip_grad_norm_(model.parameters(), {threshold:g})  # by norm
# torch.nn.utils.clip_grad_value_(model.parameters(), {threshold:g})  # by value
optimizer.step()"""


def keras_program(threshold: float) -> str:
    return f"""keras.optimizers.Adam(0.001, global_clipnorm={threshold:g})  # by the norm of all gradients together
# keras.optimizers.Adam(0.001, clipvalue={threshold:g})  # by value"""


def _plane(
    g: tuple[float, float], threshold: float, by_norm: np.ndarray, by_value: np.ndarray
) -> Plate:
    corners = threshold * np.array([(1, 1), (-1, 1), (-1, -1), (1, -1), (1, 1)], float)
    circle = threshold * np.stack([np.cos(ROUND), np.sin(ROUND)], 1)
    rows = [
        ("gradient", *g, ARROW),
        ("clipped by norm", *by_norm, ARROW),
        ("clipped by value", *by_value, ARROW),
        *(("length θ", *point, OUTLINE) for point in circle),
        *(("each number θ", *point, OUTLINE) for point in corners),
    ]
    return Plate(
        "arrow",
        "outlines",
        (Table.of_rows("arrow", "One gradient, clipped", ("series", "x", "y", "form"), rows),),
        "fresh",
        f"Threshold {threshold:g}",
        square=True,
        options={"x": "first number", "y": "second number"},
        model="fresh",
    )


def _stream() -> None:
    st.subheader("A stream with a spike", anchor=False)
    st.markdown(
        "The lengths of the gradients of a real training, with one spike put in. An adaptive threshold"
        " follows the mean of the lengths. What may enter that mean?"
    )
    row = ask.line()
    way = choice.one_of("What enters", clipped.WAYS, "way", where=row, link=True)
    spike = ask.slider("Spike, times", "spike", 1, 100, 20, 1, row, width=170)
    share = ask.slider("Old mean kept, α", "kept", 0.5, 0.99, 0.9, 0.01, row, width=170)
    norms = lengths().copy()
    at = STEPS // 2
    norms[at] *= spike
    held, after = clipped.stream(norms, float(norms[:5].mean()), share, way)
    cut = int((norms > held + 1e-12).sum())
    steps = np.arange(1, len(norms) + 1)
    plate.show(
        plate.lines(
            "stream",
            "Length of each gradient, and the threshold",
            [
                ("gradient", steps, norms),
                ("threshold", steps, held),
                ("after clipping", steps, after),
            ],
            "fresh",
            "40 updates of a net that must recall a letter, the spike at number 21",
            tight=True,
            x="update",
            y="length",
            of_series="",
            log_y=True,
            model="fresh",
        )
    )
    st.markdown(
        f"{SAYS[way]} The spike of {number(float(norms[at]))} is held against"
        f" {number(float(held[at]))} and enters the weights with {number(float(after[at]))}; the next"
        f" threshold is {number(float(held[at + 1]))}. Clipped: {cut} of {len(norms)}."
    )


@kept.data(max_entries=1, show_spinner="Training…")
def lengths() -> np.ndarray:
    return recall.train(1.0, 0.0, updates=STEPS).norm_N
