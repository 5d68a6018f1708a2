"""Variants: the same counts with gaps, with contexts of any length, with a cache, mixed, read from both sides, set right."""

import streamlit as st

from pages.ui import shell
from pages.ui.counts import study, variants_cache, variants_fill, variants_longest, variants_mixture, variants_skip

SECTIONS = {
    "Skip-grams": variants_skip.show,
    "Variable length": variants_longest.show,
    "Cache": variants_cache.show,
    "Mixture": variants_mixture.show,
    "Fill the blank": variants_fill.gap,
    "Spelling": variants_fill.slip,
}
KEPT = (
    "sentence", "skip", "tuple", "centre", "distance", "often", "at", "left", "recent", "weight", "fade", "watch", "filler", "smooth", "n", "spare",
    "mix", "smooth1", "smooth2", "n1", "n2", "share", "measured", "read", "gap", "begins", "ends", "slip", "meant",
)  # fmt: skip

lesson = shell.head("variants")
st.markdown("Six small changes to counting. Each was a paper once, and most came back later in neural models.")


def other_text() -> None:
    """A new text begins with examples of its own."""
    for name in ("left", "recent", "watch", "filler", "gap", "slip", "centre", "at", "meant", "measured"):
        st.session_state.pop(name, None)
        st.query_params.pop(name, None)


@st.fragment
def page() -> None:
    for name in KEPT:  # a section that is not open keeps what was set in it
        if name in st.session_state:
            st.session_state[name] = st.session_state[name]
    chosen = study.choose()
    if st.session_state.get("variants of", chosen.preset.id) != chosen.preset.id:
        other_text()
    st.session_state["variants of"] = chosen.preset.id
    section = st.segmented_control("What to count", list(SECTIONS), key="variant", bind="query-params", default="Skip-grams", required=True)
    st.subheader(section, anchor=False)
    SECTIONS[section](chosen)


page()
shell.sources(lesson)
