"""Attention scores: the step of a recurrent decoder under five scores, trained each, with its look
before or after the cell."""

from dataclasses import replace
from functools import partial

import streamlit as st

from engine.live import cache
from engine.stages.scores import panels
from pages.ui import live, shell
from pages.ui.choice import one_of
from pages.ui.scores import byhand, exposure, filling, inputs, measured, sizes

lesson = shell.head("scores")
runs = cache.runs(lesson.model)
if not runs:
    st.info(
        "No recurrent translator has been trained yet. Train one: `python -m engine train seq2seq"
        " --text FILE --out DIR`, or all with `make zoo`."
    )
    st.stop()
words = {"Luong: after": "after", "Bahdanau: before": "before"}
orders = [name for name, looks in words.items() if panels.chosen(runs, looks)]
looks, found = "after", {"none": runs[0]}
if orders:
    name = one_of(
        "Order", orders, "looks", where=shell.bar(), link=True, label_visibility="collapsed"
    )
    looks, found = words[name], panels.chosen(runs, words[name])
else:
    st.info("None of the recurrent translators here has attention, so there is no score to show.")
live.show(
    replace(
        shell.opening(lesson, None, *(run.id for run in found.values())),
        prompt="The English on the first line, the French on the second, as far as you like",
    ),
    partial(panels.stage, found, looks),
    cache.is_open(*found.values()),
)
measured.show(runs)
byhand.show()
if orders:
    filling.show(found)
sizes.show()
exposure.show(runs)
inputs.show(looks)
shell.sources(lesson, next(iter(found.values())))
