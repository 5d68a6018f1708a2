"""How weights begin: the spectrum of W_hh, the gates, and the signal in a deep net."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis import cures, starts
from engine.analysis.cures import Switches
from engine.core.trace import Table
from engine.views.base import number
from engine.views.outlines import OUTLINE, POINTS
from pages.ui import ask, kept, plate, rows
from pages.ui.cures.flow import ACTIVATIONS, STARTS
from pages.ui.plate import Plate

ROUND = np.linspace(0, 2 * np.pi, 97)
BIASES = (0.0, 1.0, 2.0, 3.0)


def show(plain: Switches, text: str) -> None:
    st.subheader("The spectrum of the recurrent weights", anchor=False)
    st.markdown(
        "A step back multiplies the gradient by W_hh. Its **singular values** say by how much a vector"
        " can shrink or grow in one step; its **eigenvalues** what many steps come to. A gradient can"
        " explode only where the largest singular value is above 1 divided by the steepest slope: 1"
        " for tanh and ReLU, 4 for the sigmoid. Where it is, it need not."
    )
    start = ask.pick("Initial weights", STARTS, "spectrum", "orthogonal", width=160)
    spectra = {kind: starts.spectrum(kind, plain.scale) for kind in starts.KINDS}
    left, right = st.columns((5, 7), gap="medium")
    plate.show(_plane(start, plain.scale, spectra[start][0]), left)
    with right:
        order = np.arange(1, cures.H + 1)
        plate.show(
            plate.lines(
                "singular",
                "Singular values of W_hh",
                [(STARTS[kind], order, values) for kind, (_, values) in spectra.items()],
                "fresh",
                f"Weights times {plain.scale:g}, 32 units",
                tight=True,
                x="from the largest to the smallest",
                y="singular value",
                of_series="start of the weights",
                model="fresh",
            )
        )
        bound = 1 / starts.SLOPES[plain.activation]
        rows.show(
            {
                "start": [STARTS[kind] for kind in spectra],
                "largest eigenvalue": [float(np.abs(e).max()) for e, _ in spectra.values()],
                "largest singular value": [float(v[0]) for _, v in spectra.values()],
                f"{ACTIVATIONS[plain.activation]}: can explode": [
                    "yes" if v[0] > bound * (1 + 1e-6) else "no" for _, v in spectra.values()
                ],
            },
            "spectra",
            {"largest eigenvalue": "%.3f", "largest singular value": "%.3f"},
        )
    _gates(text, start)
    _deep(plain)


def _plane(start: str, scale: float, values: np.ndarray) -> Plate:
    around = [
        ("circle of radius 1", x, y, OUTLINE)
        for x, y in zip(np.cos(ROUND), np.sin(ROUND), strict=True)
    ]
    points = [("eigenvalue", v.real, v.imag, POINTS) for v in values]
    table = Table.of_rows(
        "spectrum", "Eigenvalues of W_hh", ("series", "x", "y", "form"), around + points
    )
    return Plate(
        "spectrum",
        "outlines",
        (table,),
        "fresh",
        f"Start: {STARTS[start]}, weights times {scale:g}",
        square=True,
        options={"x": "real part", "y": "imaginary part", "least": 1.0},
        model="fresh",
    )


def _gates(text: str, start: str) -> None:
    st.subheader("The forget gate as it begins", anchor=False)
    found = forgotten(text, start)
    edges = np.linspace(0, 1, 41)
    plate.show(
        plate.lines(
            "forget-gates",
            "Forget gates of a fresh LSTM",
            [
                (f"bias {bias:g}", (edges[1:] + edges[:-1]) / 2, np.histogram(f, edges)[0] / len(f))
                for bias, f in found.items()
            ],
            "fresh",
            f"All units and steps of the text above, one layer, start {STARTS[start]}",
            tight=True,
            x="forget gate",
            y="share of all",
            of_series="forget bias",
            model="fresh",
        )
    )
    means = ", ".join(f"{float(f.mean()):.2f} with bias {bias:g}" for bias, f in found.items())
    st.caption(
        f"On average {means}. A cell that has two biases needs the forget bias in one of them only:"
        " set in both, 1 acts as 2."
    )


@kept.data(max_entries=16)
def forgotten(text: str, start: str) -> dict[float, np.ndarray]:
    return {bias: starts.gates(cures.inputs(text), bias, start) for bias in BIASES}


def _deep(plain: Switches) -> None:
    st.subheader("Signal through many layers", anchor=False)
    row = ask.line()
    layers = ask.slider("Layers of the deep net", "deep", 2, 48, 24, 1, row, width=200)
    residual = ask.toggle("With residual connections", "deep_residual", True, row)
    curves = [
        (kind, range(layers + 1), starts.depth(kind, layers, plain.activation, residual=residual))
        for kind in starts.DEPTHS
    ]
    plate.show(
        plate.lines(
            "deep",
            "Size of the signal, by layer",
            curves,
            "fresh",
            f"256 units, 64 random inputs, {ACTIVATIONS[plain.activation]}, no steps in time",
            tight=True,
            x="layer",
            y="root mean square",
            of_series="start of the weights",
            log_y=True,
            model="fresh",
        )
    )
    written = ((300, 512, 1), (300, 512, 4))
    (xavier, xavier_sd), (stacked, _) = (starts.bounds(*s)["xavier"] for s in written)
    he, _ = starts.bounds(300, 512)["he"]
    st.caption(
        "Xavier keeps the variance where the activation is about linear around 0; He doubles it for"
        " ReLU, which lets half through. With residual connections every layer adds its own; divided by"
        f" √N the sum stays small. For 300 inputs and 512 units Xavier draws ±{number(xavier)} (standard"
        f" deviation {number(xavier_sd)}) and He ±{number(he)}; drawn over the four stacked gates of an LSTM"
        f" at once, Xavier would be ±{number(stacked)}, too small for each."
    )
