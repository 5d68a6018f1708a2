"""Training on a page: a button, progress while a child process works, and a way to stop it."""

from __future__ import annotations

import streamlit as st

from engine.analysis.contest import results
from engine.analysis.contest.entry import Entry
from engine.analysis.contest.queue import Queue
from engine.core import cell_card
from pages.ui.fragment import fragment


@st.cache_resource(show_spinner=False)
def queue() -> Queue:
    return Queue()


def offer(missing: list[Entry]) -> None:
    """Nothing where nothing is missing; else the button, or how far the trainings are."""
    if not missing:
        return
    states = {entry: queue().state(entry) for entry in missing}
    if any(state and not state.error for state in states.values()):
        fragment(_progress, run_every=1.0)(missing)
        return
    for entry, state in states.items():
        if state:
            st.error(f"{cell_card.get(entry.cell).name}: {state.error}")
    names = ", ".join(cell_card.get(entry.cell).name for entry in missing)
    if st.button(
        f"Train {names}",
        help="About 5 to 20 seconds each, one after the other, in a separate process.",
    ):
        try:
            queue().ask(missing)
        except ValueError as problem:
            st.warning(str(problem))
            return
        st.rerun()


def _progress(missing: list[Entry]) -> None:
    left = [entry for entry in missing if results.find(entry) is None]
    states = {entry: queue().state(entry) for entry in left}
    if len(left) < len(missing) or not any(state and not state.error for state in states.values()):
        st.rerun()  # the page has something new to show
    for entry, state in states.items():
        if state and not state.error:
            at = f"step {state.step} of {state.total}" if state.step else "queued"
            name = cell_card.get(entry.cell).name
            st.progress(state.step / max(1, state.total), f"{name}: {at}")
    if st.button("Stop"):
        queue().drop(left)
        st.rerun()
