"""One training: how it goes, what can be done with it, and why it ended where it failed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from engine.jobs import control
from engine.lessons.runs.table import lessons_for
from engine.live.markdown import escape
from engine.runs.store import RunStore
from engine.storage.files import reason
from engine.storage.run_folder import BEST, NOTE
from engine.training import job as jobs
from engine.training import status
from engine.training.status import TrainingStatus
from engine.views.base import number
from pages.ui.training import curves as training_curves
from pages.ui.training import overview, seen
from pages.ui.training.preview import size

ENDED = {
    status.PAUSED: (
        "Training is paused at a checkpoint. If you resume it, it takes the same steps as if it"
        " had never stopped."
    ),
    status.STOPPED: "Training was stopped before there was a model to keep.",
    status.BROKEN: (
        "Training was interrupted: its process ended without a message, as when the computer is"
        " switched off. If you resume it, it continues from the last checkpoint and takes the"
        " same steps."
    ),
    status.FAILED: "Training ended by itself.",
}


def show(name: str) -> None:
    folder = overview.root() / name
    if not name or not folder.is_dir():
        return
    last = status.read(folder)
    st.subheader(escape(overview.title(folder)), anchor="watch")
    st.caption(f"Run {escape(name)}: {overview.said(folder, last)}")
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
            st.caption(
                "Nothing to draw yet: the text is being read and tokenized."
                if last.state != status.WAITING
                else "Nothing to draw yet."
            )
        return
    training_curves.show(folder, curves)
    seen.show(folder)


def _problem(folder: Path, last: TrainingStatus | None) -> None:
    job = jobs.read(folder)
    if job is None:
        st.error(
            "Its settings file, job.json, is damaged, so it can't be resumed. Discard the"
            " training, or restore the file."
        )
    if last is None or last.alive:
        return
    why = last.error or (
        jobs.last_words(folder) if last.state == status.BROKEN and not last.step else ""
    )
    failed = why and last.state == status.BROKEN
    what = "Training could not continue." if failed else ENDED.get(last.state, "")
    text = what + (f" Why: {escape(why.rstrip(chr(46)))}." if why else "")
    (st.error if last.state == status.FAILED or why else st.info)(text)


def _buttons(folder: Path, last: TrainingStatus | None) -> None:
    key, alive = f"training.do.{folder.name}", bool(last and last.alive)
    job = jobs.read(folder)
    best = f", of step {last.best[0]:,}" if last and last.best else ""
    running = alive and last and last.state == status.RUNNING

    def pressed(label: str, id: str, icon: str, **more: Any) -> bool:
        return st.button(label, key=f"{key}.{id}", icon=f":material/{icon}:", **more)

    with st.container(horizontal=True, vertical_alignment="center"):
        if alive and pressed("Pause", "pause", "pause"):
            _try(lambda: control.ask(folder, control.PAUSE), "Training pauses after this step.")
        if job and not alive and pressed("Resume", "go", "play_arrow"):
            _try(lambda: jobs.start(job, folder))
            st.rerun(scope="app")
        if running and pressed("Stop and keep the best", "stop", "stop"):
            _try(
                lambda: control.ask(folder, control.STOP),
                "Training stops after this step; the best model so far becomes the run.",
            )
        kept = not alive and (folder / BEST).is_file()
        if job and kept and pressed(f"Keep the best so far{best}", "keep", "stop"):
            _try(lambda: jobs.start(job, folder, best=True))
            st.rerun(scope="app")
        if st.session_state.get(f"{key}.sure"):
            st.caption("The checkpoint, curves and snapshots will be deleted.")
            if pressed("Yes, discard it", "yes", "delete"):
                _try(lambda: jobs.drop(folder))
                st.session_state.pop(f"{key}.sure")
                st.rerun(scope="app")
            if st.button("Keep it", key=f"{key}.no"):
                st.session_state.pop(f"{key}.sure")
                st.rerun(scope="fragment" if alive else "app")
        elif pressed("Discard", "drop", "delete", type="tertiary"):
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
        st.toast(f"The run folder can't be written: {reason(error)}.")
    else:
        if said:
            st.toast(said)


def _open(name: str) -> None:
    """Where a finished run can be seen."""
    try:
        run = RunStore(overview.root()).find(name)
    except (LookupError, ValueError) as problem:
        st.error(f"Training is finished, but the run can't be opened: {escape(str(problem))}.")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**Done.** Open it, or rewind its training, in")
        for lesson in lessons_for(run):
            st.page_link(f"pages/{lesson.page}", label=lesson.title, query_params={"run": run.id})
        st.page_link("pages/615_runs.py", label="Runs", query_params={"run": run.id})


def _numbers(last: TrainingStatus | None, curves: training_curves.Curves) -> None:
    """The latest number of each kind."""
    shown: list[tuple[str, str, str]] = []
    for name, label, says in training_curves.LATEST:
        if (found := curves.get(name)) and len(found[1]):
            shown.append((label, number(float(found[1][-1])), says))
    now = last if last and last.alive else None
    if now and now.tokens_per_second:
        pace = f"{now.tokens_per_second:,.0f}"
        shown.append(("Tokens per second", pace, "Training tokens read each second."))
    if now and now.memory_bytes:
        shown.append(("Memory", size(now.memory_bytes), "Held by the training process now."))
    if last and last.seconds:
        shown.append(("Trained for", overview.lasting(last.seconds), "Without pauses."))
    if now and now.seconds_left is not None:
        says = "At the pace so far, including held-out measurements and samples."
        shown.append(("Time left", overview.lasting(now.seconds_left), says))
    with st.container(horizontal=True, gap="medium"):
        for label, value, says in shown:
            st.metric(label, value, help=says, width="content")
