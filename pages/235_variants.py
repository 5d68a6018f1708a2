"""Variants: the same counts with gaps, with contexts of any length, with a cache, mixed, read from
both sides, set right."""

import streamlit as st

from pages.ui import place, shell
from pages.ui.choice import one_of
from pages.ui.counting import study
from pages.ui.fragment import fragment
from pages.ui.variants import cache, fill, longest, mixture, skip

SECTIONS = {
    "Skip-grams": skip.section,
    "Variable length": longest.section,
    "Cache": cache.section,
    "Mixture": mixture.section,
    "Fill the blank": fill.gap,
    "Spelling": fill.slip,
}
KEPT = (
    "sentence skip tuple centre distance often at left recent weight fade watch filler smooth n spare"
    " mix smooth1 smooth2 n1 n2 share measured read gap begins ends slip meant"
).split()
# what a new text begins with examples of its own for
OF_TEXT = "left recent watch filler gap slip centre at meant measured".split()

lesson = shell.head("variants")
chosen = study.choose(lesson.id)


@fragment
def page() -> None:
    for name in KEPT:  # a section that is not open keeps what was set in it
        if name in st.session_state:
            st.session_state[name] = st.session_state[name]
    if st.session_state.get("variants of", chosen.preset.id) != chosen.preset.id:
        for name in OF_TEXT:
            st.session_state.pop(name, None)
            st.query_params.pop(name, None)
    st.session_state["variants of"] = chosen.preset.id
    with st.container(gap="xsmall"):
        section = one_of(
            "What to count",
            SECTIONS.keys(),
            "variant",
            place.part(SECTIONS) or "Skip-grams",
            link=True,
            label_visibility="collapsed",
        )
        with place.panel(section):
            SECTIONS[section](chosen)
    st.caption(
        "Six small changes to counting. Each was once a paper of its own, and most of the ideas"
        " returned in neural models."
    )


page()
shell.sources(lesson)
