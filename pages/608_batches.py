"""Batches: how lines become one matrix, and what a training step keeps and computes."""

import streamlit as st

from pages.ui import closer, place, shell
from pages.ui.batches import bits, masks, matrix, one_product, timeline

lesson = shell.head("batches")


@st.fragment
def lines() -> None:
    with place.panel("lines"):
        matrix.show()


@st.fragment
def parts() -> None:
    closer.one_of(
        {
            "One product": one_product.show,
            "Dropout in time": masks.show,
            "Half precision": bits.show,
            "Checkpoints": timeline.show,
        },
        "part",
    )


lines()
parts()
shell.sources(lesson)
