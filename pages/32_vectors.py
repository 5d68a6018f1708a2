"""Word vectors: neighbours, analogies, the odd one out, word axes, unknown words, and how good a table of vectors is."""

import streamlit as st

from pages.ui import cache, closer, live, shell
from pages.ui.meaning import spaces, vectors_analogy, vectors_files, vectors_relations, vectors_stage, vectors_tests

USES = (
    "As the first layer of a model that reads text. **Frozen**, they stay as they are: right when there is little text to learn from, and words that never occur in it keep "
    "their place beside their neighbours. **Adaptive**, training moves them too: only the words of the training text move, and drift away from neighbours that do not occur "
    "there. Starting from vectors like these usually needs less text than starting from random numbers."
)

lesson, run = shell.enter("vectors", spaces.SPACES)
live.show(shell.opening(lesson), lambda: vectors_stage.stage(run, cache.model(run)), cache.is_open(run))
closer.show(run, {
    "Analogies": lambda model: vectors_analogy.show(run, model),
    "What a cosine does not say": lambda model: vectors_relations.show(run, model),
    "How good are they?": lambda model: vectors_tests.show(run, model),
    "What are they used for?": lambda model: st.markdown(USES),
    "Files": lambda model: vectors_files.show(run, lesson.id),
}, key="vec_part")  # fmt: skip
shell.sources(lesson, run)
