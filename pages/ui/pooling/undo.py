"""A recurrent net whose steps can be undone: what that saves, and what forgetting does to it."""

from __future__ import annotations

import streamlit as st
import torch

from engine.analysis.lstm_variants import reversible
from engine.analysis.lstm_variants.reversible import STEPS, Net
from engine.analysis.lstm_variants.training import Trained
from engine.views.base import number
from pages.ui import ask, plate, rows
from pages.ui.pooling import right

LENGTHS = (10, 50, 100)
TEXTS, LONG, LEAST = 8, 100, 1e-17


@st.cache_resource(show_spinner="Learning …", max_entries=9)
def trained(seed: int) -> Trained[Net]:
    return reversible.learned(seed)


def show() -> None:
    st.markdown(
        "The way back through a net needs the states of all steps, so they are kept. If a step can be"
        " **undone**, the last state is enough. The state is split into halves, and each half gets"
        " only a sum: something computed from the other half, which can be computed again and taken"
        " away."
    )
    st.latex(r"y_1 = f\,x_1 + F(x_2, e) \qquad y_2 = f\,x_2 + G(y_1, e)")
    st.latex(r"x_2 = (y_2 - G(y_1, e)) / f \qquad x_1 = (y_1 - F(x_2, e)) / f")
    line = ask.line()
    seed = ask.slider("Start", "undo_seed", 1, 9, 1, 1, line, width=180)
    keep = ask.slider("f, what a step keeps", "undo_keep", 0.5, 1.0, 1.0, 0.01, line, width=260)
    found = trained(seed)
    text_BT = reversible.drawn(TEXTS, LONG, torch.Generator().manual_seed(seed))
    errors = {
        name: reversible.undone(found.net.to(kind, keep), text_BT)
        for name, kind in (("float64", torch.float64), ("float32", torch.float32))
    }
    plate.row(
        plate.lines(
            "undo_error",
            "Largest error of a state that was undone, by how many steps back",
            [(name, range(1, LONG + 1), error[1:].clip(LEAST)) for name, error in errors.items()],
            "reversible",
            f"f = {keep:g}; {TEXTS} texts of {LONG} letters",
            x="steps undone",
            y="error",
            of_series="",
            log_y=True,
            tight=True,
            fluid=True,
        ),
        right.curves(
            "undo_right",
            f"Share of texts whose first of {reversible.LENGTH} letters is remembered, by step of training",
            STEPS,
            [("f = 1", found.right_S)],
            "reversible",
            f"Start {seed}; trained by gradients that keep no state",
        ),
    )
    rows.show([of_length(seed, length) for length in LENGTHS], "undo")
    far = number(float(errors["float64"][50]))
    st.markdown(
        f"With f = {keep:g}, 50 steps undone in float64 miss the true state by **{far}**. With f = 1"
        " nothing is forgotten; only rounding is lost, and it grows from step to step. Below 1"
        " every step back divides by f, and rounding grows by 1/f more each time: what a"
        " forget gate has forgotten cannot be computed again (MacKay et al. 2018 keep those bits aside)."
    )


@st.cache_data(show_spinner=False, max_entries=64)
def of_length(seed: int, length: int) -> dict[str, str]:
    net = trained(seed).net
    text_BT = reversible.drawn(TEXTS, length, torch.Generator().manual_seed(0))
    (plain, kept), (undoing, little) = (
        reversible.plain(net, text_BT),
        reversible.undoing(net, text_BT),
    )
    off = max(float((a - b).abs().max()) for a, b in zip(plain, undoing, strict=True))
    size = max(float(a.abs().max()) for a in plain)
    return {
        "steps": str(length),
        "bytes kept by autograd": f"{kept:,}",
        "bytes kept here": f"{little:,}",
        "largest difference of a gradient": number(off),
        "largest gradient": number(size),
    }
