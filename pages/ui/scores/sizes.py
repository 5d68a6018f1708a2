"""One step of a GRU decoder with attention as shapes and parameters, for sizes of one's own."""

from __future__ import annotations

import streamlit as st

from engine.analysis import decoder_shapes
from pages.ui import ask, fold, rows

INPUTS = {3: "state, context and word", 2: "state and context"}


def show() -> None:
    fold.show("The shapes of one step", draw, "shapes")


def draw() -> None:
    st.markdown(
        "A decoder of GRU cells that looks before its cells, with the concat score: what is computed at one"
        " step, in its order, and how many numbers learn for it."
    )
    columns = st.columns(6)
    limits = (
        ("Words V", "shapes_v", 2, 200_000, 5_000),
        ("Width D", "shapes_d", 1, 4_096, 256),
        ("Units H", "shapes_h", 1, 4_096, 512),
        ("Layers", "shapes_l", 1, 8, 2),
        ("Source words S", "shapes_s", 1, 512, 7),
        ("Texts at once B", "shapes_b", 1, 512, 4),
    )
    v, d, h, layers, s, b = (
        ask.between(column.number_input, label, key, low, high, first)
        for column, (label, key, low, high, first) in zip(columns, limits, strict=True)
    )
    inputs = ask.pick("What the output layer reads", INPUTS, "shapes_inputs", width=280)
    found = decoder_shapes.step(b, s, v, d, h, layers, inputs)
    rows.show(
        [
            {
                "": part.name,
                "made of": part.reads,
                "shape": " × ".join(f"{n:,}" for n in part.shape),
                "parameters": f"{part.parameters:,}" if part.parameters else "",
            }
            for part in found
        ],
        "shapes.step",
        tallest=600,
    )
    whole, last = sum(part.parameters for part in found), found[-1].parameters
    one = sum(part.parameters for part in decoder_shapes.step(b, s, v, d, h, layers, 5 - inputs))
    least = f"With two inputs there it would learn {one:,}."
    more = f"With three inputs there it would learn {one:,}."
    st.markdown(
        f"The whole decoder learns **{whole:,}** numbers, {100 * last / whole:.0f} % of them in the output"
        f" layer. {least if inputs == 3 else more}"
    )
