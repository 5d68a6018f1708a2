"""All trainings of this computer that are not done, and those done last: how far each is, and which
one is watched."""

from __future__ import annotations

import math
from collections.abc import Collection
from pathlib import Path

import streamlit as st

from engine.live.markdown import escape
from engine.storage.home import home
from engine.storage.run_folder import NOTE
from engine.training import job as jobs
from engine.training import queue, status
from engine.training.status import TrainingStatus
from pages.ui import people, shell
from pages.ui.training import linked

LATELY, MOST, MOST_DONE = 3, 12, 1000
KEY, MODE = "training.chosen", "training.mode"
MODES = ("Train a model", "Watch trainings")


def root() -> Path:
    return home() / "runs"


def every() -> list[Path]:
    """Those going on, those in line in their order, those that ended early, those done last."""
    roots = (root(),)
    found = [*sorted(jobs.unfinished(roots), key=_place), *jobs.finished(roots, LATELY)]
    return list(dict.fromkeys(found))  # one that has ended in between stands in both


def _place(folder: Path) -> float:
    last = status.read(folder)
    return math.inf if last is None or not last.alive else last.ahead


def alive() -> frozenset[str]:
    """Names of the folders whose training waits, starts or runs."""
    return frozenset(
        folder.name
        for folder in jobs.unfinished((root(),))
        if (last := status.read(folder)) and last.alive
    )


def chosen() -> str:
    """The name of the folder that is watched; empty where there is none.  A link may name any that
    is done."""
    names = [folder.name for folder in (*every(), *jobs.finished((root(),), MOST_DONE))]
    asked = st.session_state.get(KEY) or st.query_params.get("training", "")
    if asked and asked not in names:
        if KEY not in st.session_state:
            st.warning(
                f"There is no training “{escape(asked[:60])}” here. It may have been deleted,"
                " here or on the page Runs."
            )
        st.session_state.pop(KEY, None)
        asked = ""
    return asked or next(iter(names), "")


def mode(busy: bool) -> str:
    """One of MODES, chosen by the reader; at first the trainings, where one goes on or a link names
    one.  A link with settings shows the form."""
    if linked.waits():
        st.session_state[MODE] = MODES[0]
    elif (asked := st.session_state.pop(f"{MODE}.next", None)) or MODE not in st.session_state:
        st.session_state[MODE] = asked or MODES[busy or "training" in st.query_params]
    found = str(
        shell.bar().segmented_control(
            "What to do", MODES, key=MODE, required=True, label_visibility="collapsed"
        )
    )
    if found == MODES[1]:
        linked.forget()
    return found


def choose(folder: Path) -> None:
    st.session_state[f"{MODE}.next"] = MODES[1]
    st.session_state[KEY] = folder.name
    st.query_params["training"] = folder.name


def title(folder: Path) -> str:
    wanted = jobs.read(folder)
    return (wanted.title if wanted else "") or folder.name


def show(before: Collection[str], now: str) -> None:
    """The list; while anything is alive it is drawn again and again.  before: what was alive when
    the page was drawn; now: what is watched."""
    if alive() != before:
        st.rerun(scope="app")
    folders = every()
    if not folders:
        st.caption(f"No training has been started on this computer yet. Choose “{MODES[0]}” above.")
        return
    st.markdown("**Your trainings**" if people.are_several() else "**Trainings on this computer**")
    at_a_time = queue.limit()
    st.caption(
        "They continue when this page is closed."
        f" {at_a_time} run at a time on this computer, so that it stays responsive; the others are"
        " queued."
    )
    people.says()
    for folder in folders[:MOST]:
        bar, button = st.columns((8, 1), vertical_alignment="center")
        last = status.read(folder)
        mark = "▸ " if folder.name == now else ""
        words = f"{mark}**{escape(title(folder))}**: {said(folder, last)}"
        bar.progress(share(folder, last), words)
        key = f"training.see.{folder.name}"
        if button.button("Watch", key=key, type="tertiary", disabled=folder.name == now):
            choose(folder)
            st.rerun(scope="app")
    if len(folders) > MOST:
        st.caption(f"{len(folders) - MOST} more are not shown.")


def share(folder: Path, last: TrainingStatus | None) -> float:
    if (folder / NOTE).is_file():
        return 1.0
    return min(1.0, max(0.0, last.step / last.total)) if last and last.total > 0 else 0.0


def said(folder: Path, last: TrainingStatus | None) -> str:
    """How a training is, in a line."""
    if (folder / NOTE).is_file():
        return "finished"
    if last is None:
        return "not started" if jobs.read(folder) else "its files are damaged"
    at = f"step {last.step:,} of {last.total:,}" if last.total else ""
    if last.state == status.WAITING:
        ahead = f"{last.ahead} ahead of it" if last.ahead > 1 else "next"
        return ", ".join(filter(None, (f"queued: {ahead}", at)))
    left = last.seconds_left if last.alive else None
    loss = next((value for name, value in last.metrics.items() if name.startswith("loss")), None)
    parts = (
        "" if last.state == status.RUNNING and at else last.state,
        at,
        f"{lasting(left)} left" if left is not None else "",
        f"loss {loss:.3g}" if isinstance(loss, float) else "",
    )
    return ", ".join(filter(None, parts))


def lasting(seconds: float) -> str:
    """A time as a person says it."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    if minutes < 48 * 60:
        return f"{minutes // 60} h {minutes % 60:02d} min"
    return f"{round(minutes / 1440)} days"
