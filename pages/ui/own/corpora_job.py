"""What a process of its own reads or stores: how far it is, a way to stop it, and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from engine.library import job as jobs
from engine.library.job import Job
from engine.library.reading import Read
from pages.ui.plain import escape

EVERY_SECONDS = 0.5
BUSY = "corpora.busy"  # whether this page looks again and again how far a process is


def sentence(problem: object) -> str:
    said = str(problem).rstrip(".")
    return escape(f"{said[:1].upper()}{said[1:]}.")


def read(job: Job, kind: str, choose: Callable[[tuple[str, ...]], tuple[str, ...] | None], **more: str) -> Read | None:
    """None as long as it is read, and where it can't be; both are shown.  `choose` asks for the columns of a table, once they are known."""
    try:
        job.ask("read", kind=kind, columns=choose(job.columns), look=not job.columns, **more)
    except ValueError as problem:
        st.error(sentence(problem))
        return None
    if not done(job, "read"):
        return None
    found = job.result("read")
    if found["read"] is None:
        job.columns = tuple(found["columns"])
        return read(job, kind, choose, **more)
    return jobs.opened(found["read"])


def add(job: Job, name: str, kind: str, pressed: bool) -> dict[str, Any] | None:
    """What is known of the stored text; None as long as nothing was asked for, it is stored, or it can't be."""
    if pressed and not job.state.running:
        job.forget("add")
        try:
            job.ask("add", name=name, kind=kind)
        except ValueError as problem:
            st.error(sentence(problem))
    return job.result("add") if job.doing == "add" and done(job, "add") else None


def done(job: Job, do: str) -> bool:
    """Else how far it is, or the sentence why it ended."""
    state = job.state
    if job.result(do) is not None:
        return True
    if state.running:
        st.session_state[BUSY] = True
        progress(job)
        return False
    (st.info if state.problem == jobs.STOPPED else st.error)(sentence(state.problem))
    if do == "read" and st.button("Read again", key="corpora.again"):
        job.forget(do)
        st.rerun()
    return False


@st.fragment(run_every=EVERY_SECONDS)
def progress(job: Job) -> None:
    state = job.state
    if not state.running:
        st.rerun()
    row = st.container(horizontal=True, vertical_alignment="center")
    row.progress(state.share, escape(f"{state.what[:1].upper()}{state.what[1:]} …"))
    if row.button("Stop", key="corpora.stop", icon=":material/stop:"):
        job.stop()
        st.rerun()
