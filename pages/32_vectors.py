"""Word vectors: neighbours, analogies, the odd one out, word axes, unknown words, and how good a table of vectors is."""

from dataclasses import replace

import streamlit as st

from pages.ui import cache, live, shell
from pages.ui.meaning import spaces, vectors_analogy, vectors_files, vectors_relations, vectors_stage, vectors_tests

lesson, run = shell.enter("vectors", spaces.SPACES)
opening = replace(shell.opening(lesson), prompt="Type words: everything down to the analogies answers them")
live.show(opening, lambda: vectors_stage.stage(run, cache.model(run)), cache.is_open(run))
vectors_analogy.show(run, cache.model(run))
vectors_relations.show(run, cache.model(run))
vectors_tests.show(run, cache.model(run))
st.subheader("What are such vectors used for?", anchor=False)
st.markdown(
    "As the first layer of a model that reads text. **Frozen**, they stay as they are: right when there is little text to learn from, and words that never occur in it keep "
    "their place beside their neighbours. **Adaptive**, training moves them too: only the words of the training text move, and drift away from neighbours that do not occur "
    "there. Starting from vectors like these usually needs less text than starting from random numbers. Where unknown words matter (names, slips, rich word forms) "
    "take vectors that are composed from character n-grams, or use a table for the words it knows and compose the others."
)
vectors_files.show(run, lesson.id)
shell.sources(lesson, run)
