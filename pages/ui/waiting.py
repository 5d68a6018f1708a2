"""A process of its own works for this page: how far it is, a button to stop it, and why it ended
or did not begin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from engine.frame.blocks import Words
from engine.jobs.staged import Staged
from engine.jobs.status import STOPPED
from engine.live.markdown import capitalise, escape, sentence
from pages.ui.fragment import fragment
from pages.ui.language import told

EVERY_SECONDS = 0.5


def find_answer(job: Staged, do: str) -> Any:
    """What came of it; None while there is nothing, with how far it is, or why it ended."""
    state, found = job.state, job.result(do)
    if found is None and state.alive:
        _progress(job)
    elif found is None:
        (st.info if state.state == STOPPED else st.error)(escape(sentence(told(state.error))))
    return found


def try_it(do: Callable[..., Any], *of: Any, **how: Any) -> bool:
    """Whether it was done; else why not is said."""
    try:
        do(*of, **how)
    except (ValueError, OSError) as problem:
        st.error(escape(sentence(told(str(problem)))))
        return False
    return True


def await_it(
    id: str,
    words: Words | Callable[[], Words],
    share: Callable[[], float | None],
    stop: Callable[[], None] | None = None,
) -> None:
    """How far something is that is made in the background; then the page is drawn anew.  `id`: of its part."""
    if share() is not None:
        _await_it(id, words, share, stop)


@fragment(run_every=EVERY_SECONDS)
def _await_it(
    id: str,
    words: Words | Callable[[], Words],
    share: Callable[[], float | None],
    stop: Callable[[], None] | None,
) -> None:
    if (done := share()) is None:
        st.rerun()
    said = told(words() if callable(words) else words)
    row = st.container(horizontal=True, vertical_alignment="center")
    row.progress(done, f"{said} …" if said else None)
    if stop and row.button(told("Stop"), key=f"{id}.stop", icon=":material/stop:"):
        stop()
        st.rerun()


def offer_again(id: str, again: Callable[[], None]) -> None:
    """Where the reader has stopped it."""
    row = st.container(horizontal=True, vertical_alignment="center")
    row.markdown(told("It was stopped."))
    row.button(told("Go on"), key=f"{id}.again", icon=":material/play_arrow:", on_click=again)


@fragment(run_every=EVERY_SECONDS)
def _progress(job: Staged) -> None:
    state = job.state
    if not state.alive:
        st.rerun()
    row = st.container(horizontal=True, vertical_alignment="center")
    row.progress(state.share, escape(f"{capitalise(told(state.message or 'starting'))} …"))
    if row.button(told("Stop"), key="waiting.stop", icon=":material/stop:"):
        job.stop()
        st.rerun()
