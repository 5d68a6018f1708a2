"""Co-occurrence: what stands near a word, counted on the typed text; from counts to PPMI, SVD and
GloVe."""

import streamlit as st

from engine.live import cache
from pages.ui import live, place, shell
from pages.ui.cooccurrence import glove, panels, ratio, sources
from pages.ui.fragment import fragment

PARTS = {
    "Train GloVe": "GloVe: fit the logarithm of the counts",
    "Ratios": "Ratios: which words go with ice, which with steam?",
    "Sources": "Sources: random numbers, counts, or a trained layer",
}

lesson, run = shell.enter("cooccurrence")
live.show(shell.opening(lesson, run), lambda: panels.stage(run), cache.is_open(run))


@fragment
def page() -> None:
    """Closed at first: every element below the live part makes a key a little slower."""
    part = st.segmented_control(
        "From counts to vectors",
        list(PARTS),
        key="company",
        bind="query-params",
        default=place.part(PARTS),
    )
    if part not in PARTS:
        st.caption(
            "Three further parts: GloVe trained on the text above or on another, the ratios"
            " that it was designed for, and vectors from other sources."
        )
        return
    with place.panel(part):
        st.subheader(PARTS[part], anchor=False)
        if part == "Ratios":
            ratio.show(run)
        elif part == "Sources":
            sources.show(run, lesson.example)
        else:
            glove.show(lesson.example)


page()
shell.sources(lesson, run)
