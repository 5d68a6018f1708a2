"""What a process of its own reads or stores: how far it is, a way to stop it, and what came of
it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from engine.jobs.status import STOPPED
from engine.live.markdown import capital, escape, sentence
from engine.text.collection import job as jobs
from engine.text.collection.job import Job
from engine.text.collection.reading import Read
from pages.ui.fragment import fragment

EVERY_SECONDS = 0.5
BUSY = "corpora.busy"  # whether this page looks again and again how far a process is


def read(
    job: Job, kind: str, choose: Callable[[tuple[str, ...]], tuple[str, ...] | None], **more: str
) -> Read | None:
    """None as long as it is read, and where it can't be; both are shown.  `choose` asks for the
    columns of a table, once they are known."""
    try:
        job.ask("read", kind=kind, columns=choose(job.columns), look=not job.columns, **more)
    except ValueError as problem:
        st.error(escape(sentence(problem)))
        return None
    if not done(job, "read"):
        return None
    found = job.result("read")
    if found["read"] is None:
        job.columns = tuple(found["columns"])
        return read(job, kind, choose, **more)
    return jobs.opened(found["read"])


def add(job: Job, name: str, kind: str, pressed: bool) -> dict[str, Any] | None:
    """What is known of the stored text; None as long as nothing was asked for, it is stored, or it
    can't be."""
    if pressed and not job.state.alive:
        job.forget("add")
        try:
            job.ask("add", name=name, kind=kind)
        except ValueError as problem:
            st.error(escape(sentence(problem)))
    return job.result("add") if job.doing == "add" and done(job, "add") else None


def done(job: Job, do: str) -> bool:
    """Else how far it is, or the sentence why it ended."""
    state = job.state
    if job.result(do) is not None:
        return True
    if state.alive:
        st.session_state[BUSY] = True
        progress(job)
        return False
    (st.info if state.state == STOPPED else st.error)(escape(sentence(state.error)))
    if do == "read" and st.button("Read again", key="corpora.again"):
        job.forget(do)
        st.rerun()
    return False


@fragment(run_every=EVERY_SECONDS)
def progress(job: Job) -> None:
    state = job.state
    if not state.alive:
        st.rerun()
    row = st.container(horizontal=True, vertical_alignment="center")
    row.progress(state.share, escape(f"{capital(state.message)} …"))
    if row.button("Stop", key="corpora.stop", icon=":material/stop:"):
        job.stop()
        st.rerun()
