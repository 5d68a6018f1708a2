"""Runs: every trained model, what made it and how good it became; two side by side; to rename,
delete, take along, bring."""

import streamlit as st

from engine.live.markdown import escape
from engine.runs.store import RunStore
from pages.ui import people, place, shell
from pages.ui.fragment import fragment
from pages.ui.runs import keep, one, table, two

lesson = shell.head("runs")


@fragment(key="runs")
def page() -> None:
    store = RunStore()
    every = table.ordered(store)
    if words := st.session_state.pop("runs_said", None):
        st.success(words)
    with place.panel("runs"):
        run = table.choose(every, store)
    table.unfinished(store)
    if run is None:
        keep.bring()
        return
    st.subheader(escape(run.title), anchor=False)
    row = table.row(run, store)
    one.about(run, row)
    other = two.beside(every, run)
    left, right = st.columns((5, 7), gap="medium")
    with left, place.panel("run"):
        if other:
            two.differences(run, other)
        else:
            one.settings(run)
        one.measured([run, other] if other else [run])
    with right:
        one.curves([run, other] if other else [run])
    st.divider()
    keep.show(run, row["MB"])
    people.says()


page()
shell.sources(lesson)
