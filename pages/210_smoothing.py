"""Smoothing: what every method takes from the counts, and to whom it gives it, on a text small
enough to check by hand."""

import streamlit as st

from pages.ui import shell
from pages.ui.counting import context, smoothers, study
from pages.ui.smoothing import continuation_counts, evidence, rungs, side_by_side, zero

lesson = shell.head("smoothing")
st.markdown(
    "Plain counts give no probability to unseen sequences, yet most good sentences have never"
    " been seen. Smoothing takes a little from every count and gives it to the rest. The"
    " methods differ in **how much** they take and **to whom** they give it."
)


@st.fragment(key="smoothing")
def page() -> None:
    left, right = st.columns((7, 4), gap="medium")
    with left:
        chosen = study.choose()
        asked = context.ask(chosen)
    with right:
        study.lines(chosen)
    st.subheader("The back-off ladder", anchor="ladder")
    ladder = st.container()
    st.subheader("All methods on the same context", anchor="methods")
    methods = smoothers.sliders(chosen.order)
    models = {id: chosen.study.smoothed(method) for id, method in methods.items()}
    with ladder:
        method, word = rungs.show(chosen, models, asked)
    side_by_side.show(chosen, models, asked)
    st.subheader("Why the count of “Francisco” is misleading", anchor="francisco")
    continuation_counts.show(chosen)
    st.subheader("The counts and the lines they come from", anchor="counts")
    evidence.show(chosen, asked, word)
    st.subheader("The zero-probability problem", anchor="zero")
    zero.show(chosen, models, method)


page()
shell.sources(lesson)
