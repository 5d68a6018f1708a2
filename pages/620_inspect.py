"""Inspect: every number that any run computes of the typed text, drawn by its axes, and what
follows when one is changed."""

import streamlit as st

from engine.live import cache
from pages.ui import live, shell
from pages.ui.inspect import stage

lesson = shell.head("inspect")
runs = cache.runs(None)
if not runs:
    st.info("There is no trained model yet. Train one in the training room, or with `make zoo`.")
    st.stop()
run = shell.choose(runs, lesson.id, where=shell.bar())
live.show(
    stage.opening(lesson, run),
    lambda: stage.stage(run, cache.model(run)),
    cache.is_open(run),
)
shell.sources(lesson, run)
