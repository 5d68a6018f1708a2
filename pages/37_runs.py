"""Runs: every trained model, what made it and how good it became; two side by side; to rename, delete, take along, bring."""

import streamlit as st

from engine.runs import RunStore
from pages.ui import shell
from pages.ui.own import runs, runs_keep, runs_one, runs_two
from pages.ui.plain import escape

lesson = shell.head("runs")


@st.fragment(key="runs")
def page() -> None:
    store = RunStore()
    every = runs.ordered(store)
    if words := st.session_state.pop("runs_said", None):
        st.success(words)
    run = runs.choose(every, store)
    runs.unfinished(store)
    if run is None:
        runs_keep.bring()
        return
    st.subheader(escape(run.title), anchor=False)
    row = runs.row(run, store)
    runs_one.about(run, row)
    other = runs_two.beside(every, run)
    left, right = st.columns((5, 7), gap="medium")
    with left:
        if other:
            runs_two.differences(run, other)
        else:
            runs_one.settings(run)
        runs_one.measured([run, other] if other else [run])
    with right:
        runs_one.curves([run, other] if other else [run])
    st.divider()
    runs_keep.show(run, row["MB"])


page()
shell.sources(lesson)
