"""Word vectors: neighbours, analogies, the odd one out, word axes, unknown words, and how good a
table of vectors is."""

import streamlit as st

from engine.live import cache
from engine.models.wordspace import WordSpace
from pages.ui import closer, live, readers, shell
from pages.ui.vectors import analogy, files, panels, relations, tests

USES = (
    "As the first layer of a model that reads text. **Frozen** vectors stay as they are: the"
    " right choice when there is little text to learn from, and words that do not occur in it"
    " keep their place beside their neighbours. **Adaptive** vectors are trained further: only"
    " the words of the training text move, and they drift away from neighbours that do not"
    " occur there. Starting from vectors like these usually needs less text than starting from"
    " random numbers."
)

lesson, run = shell.enter("vectors", readers.word_spaces())
live.show(
    shell.opening(lesson, run),
    lambda: panels.stage(run, cache.model(run, WordSpace)),
    cache.is_open(run),
)
closer.show(
    run,
    WordSpace,
    {
        "Analogies": lambda model: analogy.show(run, model),
        "What a cosine does not say": lambda model: relations.show(run, model),
        "How good are they?": lambda model: tests.show(run, model),
        "What are they used for?": lambda model: st.markdown(USES),
        "Files": lambda model: files.show(run, lesson.id),
    },
    key="vec_part",
)
shell.sources(lesson, run)
