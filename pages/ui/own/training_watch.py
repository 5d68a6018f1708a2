"""One training: how it goes, what can be done with it, and why it ended where it failed."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from engine.runs import NOTE, RunStore
from engine.training import job as jobs
from engine.training import told
from engine.training.fit import BEST
from engine.training.told import Told
from engine.views.base import number
from pages.ui.own import training_curves, training_list, training_seen
from pages.ui.own.runs_lessons import lessons
from pages.ui.own.training_preview import size
from pages.ui.plain import escape

ENDED = {
    told.PAUSED: "It is paused, with a checkpoint: going on takes the same steps as if it had never stopped.",
    told.STOPPED: "It was stopped before there was a model to keep.",
    told.BROKEN: "It was broken off: its process ended without a word, as when the computer is switched off. Going on begins at its last checkpoint and takes the same steps.",
    told.FAILED: "It ended by itself.",
}


def show(name: str) -> None:
    folder = training_list.root() / name
    if not name or not folder.is_dir():
        return
    last = told.read(folder)
    st.subheader(escape(training_list.title(folder)), anchor="watch")
    st.caption(f"Run {escape(name)} · {training_list.said(folder, last)}")
    done = (folder / NOTE).is_file()
    if done:
        _open(name)
    else:
        _problem(folder, last)
        _buttons(folder, last)
    curves = training_curves.read(folder)
    _numbers(last, curves)
    if not curves:
        if last and last.alive:
            st.caption("Nothing to draw yet: the text is being read and cut into tokens." if last.state != told.WAITING else "Nothing to draw yet.")
        return
    training_curves.show(folder, curves)
    training_seen.show(folder)


def _problem(folder: Path, last: Told | None) -> None:
    job = jobs.read(folder)
    if job is None:
        st.error("What it was started with, its job.json, is damaged, so it can't go on. Throw it away, or put the file back.")
    if last is None or last.alive:
        return
    why = last.problem or (jobs.last_words(folder) if last.state == told.BROKEN and not last.step else "")
    what = "It could not go on." if why and last.state == told.BROKEN else ENDED.get(last.state, "")
    text = what + (f" Why: {escape(why.rstrip(chr(46)))}." if why else "")
    (st.error if last.state == told.FAILED or why else st.info)(text)


def _buttons(folder: Path, last: Told | None) -> None:
    key, alive = f"training.do.{folder.name}", bool(last and last.alive)
    job = jobs.read(folder)
    best = f", of step {last.best[0]:,}" if last and last.best else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        if alive and st.button("Pause", key=f"{key}.pause", icon=":material/pause:"):
            _try(lambda: told.ask(folder, told.PAUSE), "It pauses after this step.")
        if job and not alive and st.button("Go on", key=f"{key}.go", icon=":material/play_arrow:"):
            _try(lambda: jobs.start(job, folder))
            st.rerun(scope="app")
        if alive and last and last.state == told.RUNNING and st.button("Stop and keep the best", key=f"{key}.stop", icon=":material/stop:"):
            _try(lambda: told.ask(folder, told.STOP), "It stops after this step; the best model so far becomes the run.")
        if job and not alive and (folder / BEST).is_file() and st.button(f"Keep the best so far{best}", key=f"{key}.keep", icon=":material/stop:"):
            _try(lambda: jobs.start(job, folder, best=True))
            st.rerun(scope="app")
        if st.session_state.get(f"{key}.sure"):
            st.caption("Its checkpoint, curves and snapshots will be gone.")
            if st.button("Yes, throw it away", key=f"{key}.yes", icon=":material/delete:"):
                _try(lambda: jobs.drop(folder))
                st.session_state.pop(f"{key}.sure")
                st.rerun(scope="app")
            if st.button("No", key=f"{key}.no"):
                st.session_state.pop(f"{key}.sure")
                st.rerun(scope="fragment" if alive else "app")
        elif st.button("Throw away", key=f"{key}.drop", icon=":material/delete:", type="tertiary"):
            st.session_state[f"{key}.sure"] = True
            st.rerun(scope="fragment" if alive else "app")
    if job:
        with st.expander("Its command", key=f"{key}.command"):
            st.code(job.command(folder), language="bash", wrap_lines=True)


def _try(act: object, said: str = "") -> None:
    """What can't be done is one sentence."""
    try:
        act()  # type: ignore[operator]
    except ValueError as problem:
        st.toast(f"That did not work: {escape(str(problem))}.")
    except OSError as error:
        st.toast(f"Its folder can't be written: {(error.strerror or 'unknown reason').lower()}.")
    else:
        if said:
            st.toast(said)


def _open(name: str) -> None:
    """Where a finished run can be seen."""
    try:
        run = RunStore(training_list.root()).find(name)
    except (LookupError, ValueError) as problem:
        st.error(f"It is finished, but can't be opened: {escape(str(problem))}.")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**Done.** Open it in")
        for lesson in lessons(run):
            st.page_link(f"pages/{lesson.page}", label=lesson.title, query_params={"run": run.id})
        st.page_link("pages/37_runs.py", label="Runs", query_params={"run": run.id})


def _numbers(last: Told | None, curves: training_curves.Curves) -> None:
    """The latest number of each kind."""
    shown: list[tuple[str, str, str]] = []
    for name, label, says in training_curves.LATEST:
        if (found := curves.get(name)) and len(found[1]):
            shown.append((label, number(float(found[1][-1])), says))
    if last and last.tokens_per_second and last.alive:
        shown.append(("Tokens per second", f"{last.tokens_per_second:,.0f}", "That it reads and learns from."))
    if last and last.memory_bytes and last.alive:
        shown.append(("Memory", size(last.memory_bytes), "That its process holds now."))
    if last and last.seconds:
        shown.append(("Trained for", training_list.lasting(last.seconds), "Pauses left out."))
    if last and last.alive and last.seconds_left is not None:
        shown.append(("Time left", training_list.lasting(last.seconds_left), "At its pace so far, held-out measurements and samples included."))
    with st.container(horizontal=True, gap="medium"):
        for label, value, says in shown:
            st.metric(label, value, help=says, width="content")
