"""Co-occurrence: what stands near a word, counted on the typed text; from counts to PPMI, SVD and GloVe."""

import streamlit as st

from pages.ui import cache, live, shell
from pages.ui.meaning import cooccurrence, cooccurrence_glove, cooccurrence_ratio

PARTS = {"Train GloVe": "GloVe: fit the logarithm of the counts", "Ratios": "Ratios: what belongs to ice, what to steam?"}

lesson, run = shell.enter("cooccurrence")
live.show(shell.opening(lesson), lambda: cooccurrence.stage(run), cache.is_open(run))


@st.fragment
def page() -> None:
    """Closed at first: every element below the live part makes a key a little slower."""
    part = st.segmented_control("From counts to vectors", list(PARTS), key="company", bind="query-params")
    if part not in PARTS:
        st.caption("Two parts to open: GloVe trained on the text above or on another, and the ratios that it was made for.")
        return
    st.subheader(PARTS[part], anchor=False)
    if part == "Ratios":
        cooccurrence_ratio.show(run)
    else:
        cooccurrence_glove.show(lesson.example)


page()
shell.sources(lesson, run)
