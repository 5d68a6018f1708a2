"""Positions: how a model is told the order of its words, in seven ways, with a trained model for each."""

import streamlit as st

from pages.ui import cache, live, shell
from pages.ui.attention import (
    positions_beyond,
    positions_bias,
    positions_compare,
    positions_live,
    positions_rotation,
    positions_waves,
)

PARTS = ("Waves and clocks", "Rotations", "Biases and tables", "Longer than trained", "Side by side")

lesson = shell.head("positions")
runs = cache.runs(lesson.model)
if not runs:
    st.info("No transformer has been trained yet. Train one: `python -m engine train transformer --text FILE --out DIR`, or all with `make zoo`.")
    st.stop()
run = positions_live.choose(runs)
small = positions_live.small(runs)
live.show(shell.opening(lesson, run), lambda: positions_live.stage(run, cache.model(run), small), cache.is_open(run))


@st.fragment
def page() -> None:
    st.subheader("Look closer", anchor="closer")
    part = st.segmented_control("Part", PARTS, key="positions_part", bind="query-params", label_visibility="collapsed")
    if part == PARTS[1]:
        positions_rotation.show()
    elif part == PARTS[2]:
        positions_bias.show(small)
    elif part == PARTS[3]:
        positions_beyond.show()
    elif part == PARTS[4]:
        positions_compare.show()
    elif part == PARTS[0]:
        positions_waves.show()
    else:
        st.caption("Five parts to open: each has its pictures and sliders. Closed, they do not slow the typing above.")


page()
shell.sources(lesson, run)
