"""Local and hard attention: one decoder step that may look at all source words, at a window of them,
or at one alone."""

from dataclasses import replace
from functools import partial

import streamlit as st

from engine.lessons.local import panels
from engine.live import cache
from pages.ui import live, shell
from pages.ui.local import measured

lesson = shell.head("local")
runs = cache.runs(lesson.model)
if not runs:
    st.info(
        "No recurrent translator has been trained yet. Train one: `python -m engine train seq2seq"
        " --text FILE --out DIR`, or all with `make zoo`."
    )
    st.stop()
found = panels.chosen(runs)
if not found:
    st.info("None of the recurrent translators here has attention, so there is no score to show.")
shown = found or {panels.NONE: runs[0]}
live.show(
    replace(
        shell.opening(lesson, None, *(run.id for run in shown.values())),
        prompt="The English on the first line, the French on the second, as far as you like",
    ),
    partial(panels.stage, shown),
    cache.is_open(*shown.values()),
)
measured.show(found)
shell.sources(lesson, next(iter(shown.values())))
