"""Smoothing: what every method takes from the counts, and to whom it gives it, on a text small enough to check by hand."""

import streamlit as st

from pages.ui import shell
from pages.ui.counts import context, evidence, francisco, rungs, sides, smoothers, study, zero

lesson = shell.head("smoothing")
st.markdown(
    "Counting gives nothing to what was never seen, though most good sentences were never seen. Smoothing takes a little from every count "
    "and gives it to the rest. The methods differ in **how much** they take and **to whom** they give it."
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
    sides.show(chosen, models, asked)
    st.subheader("Why “Francisco” gets no mass from its count", anchor="francisco")
    francisco.show(chosen)
    st.subheader("The counts, and the lines behind them", anchor="counts")
    evidence.show(chosen, asked, word)
    st.subheader("The zero-probability problem", anchor="zero")
    zero.show(chosen, models, method)


page()
shell.sources(lesson)
