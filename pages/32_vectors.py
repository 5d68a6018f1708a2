"""Word vectors: neighbours, analogies, the odd one out, word axes, unknown words, and how good a table of vectors is."""

import streamlit as st

from pages.ui import cache, live, shell
from pages.ui.meaning import spaces, vectors_analogy, vectors_files, vectors_relations, vectors_stage, vectors_tests

PARTS = ("Analogies", "What a cosine does not say", "How good are they?", "What are they used for?", "Files")
USES = (
    "As the first layer of a model that reads text. **Frozen**, they stay as they are: right when there is little text to learn from, and words that never occur in it keep "
    "their place beside their neighbours. **Adaptive**, training moves them too: only the words of the training text move, and drift away from neighbours that do not occur "
    "there. Starting from vectors like these usually needs less text than starting from random numbers."
)

lesson, run = shell.enter("vectors", spaces.SPACES)
live.show(shell.opening(lesson), lambda: vectors_stage.stage(run, cache.model(run)), cache.is_open(run))


@st.fragment
def page() -> None:
    """One part at a time: every element below the live part makes a key a little slower."""
    st.subheader("Look closer", anchor=False)
    part = st.segmented_control("Part", PARTS, key="vec_part", bind="query-params", default=PARTS[0], required=True, label_visibility="collapsed")
    if part == PARTS[1]:
        vectors_relations.show(run, cache.model(run))
    elif part == PARTS[2]:
        vectors_tests.show(run, cache.model(run))
    elif part == PARTS[3]:
        st.markdown(USES)
    elif part == PARTS[4]:
        vectors_files.show(run, lesson.id)
    else:
        vectors_analogy.show(run, cache.model(run))


page()
shell.sources(lesson, run)
