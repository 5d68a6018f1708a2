"""Training room: train a model on a text, watch it learn, pause it, go on with it, and open it in a lesson."""

from __future__ import annotations

import math
from collections.abc import Collection
from pathlib import Path
from typing import Any

import streamlit as st

from engine.cli import settings
from engine.core.registry import models
from engine.course.curriculum import lesson
from engine.jobs import control
from engine.language.message import _
from engine.lessons.runs.table import lessons_for
from engine.lessons.training import watched
from engine.live.markdown import escape
from engine.nn.plan import Training
from engine.runs.store import RunStore
from engine.storage.files import reason
from engine.storage.home import home
from engine.storage.run_folder import BEST, NOTE
from engine.training import job as jobs
from engine.training import queue, status
from engine.training.status import TrainingStatus
from engine.views.base import number
from pages.ui import controls, people, shell, training_form
from pages.ui.blocks import Place
from pages.ui.fragment import fragment
from pages.ui.language import labelled, told

LATELY, MOST, MOST_DONE = 3, 12, 1000
KEY, MODE = "training.chosen", "training.mode"
MODES = ("Train a model", "Watch trainings")
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
LATEST = (
    ("loss_nats", "Loss", "Of the last step, in nats per token, on the training text."),
    (
        "held_out_nats",
        "Held-out loss",
        "Of the last measurement, on text that the model is not trained on.",
    ),
    (
        "held_out_bits_per_character",
        "Bits per character",
        "On held-out text, during training; comparable between tokenizers. The page Runs"
        " measures line by line, so its number differs a little.",
    ),
    ("held_out_accuracy", "Right answers", "Accuracy on held-out text."),
    ("gradient_norm", "Gradient norm", "Of the last step, before clipping."),
)


def show_training() -> None:
    from pages.ui import training_new

    here = shell.head("training")
    running = find_alive()
    if mode(bool(running)) == MODES[0]:
        if running:
            st.caption(
                told("Running now: {running}. See “{modes}”.", running=len(running), modes=MODES[1])
            )
        every = 1.0 if training_new.timing() else None
        fragment(training_new.show_form, run_every=every, key="training.new")()
    else:
        name = chosen()

        # one fragment, not two: where the clock of one fires while the other asks for the whole page,
        # Streamlit loses its place and the page goes white
        @fragment(run_every=1.5 if running else None, key="training.room")
        def room() -> None:
            overview(running, name)
            watch(name)

        room()
    shell.sources(here)


def root() -> Path:
    return home() / "runs"


def list_trainings() -> list[Path]:
    """Those going on, those in line in their order, those that ended early, those done last."""
    roots = (root(),)
    found = [*sorted(jobs.unfinished(roots), key=_place), *jobs.finished(roots, LATELY)]
    return list(dict.fromkeys(found))  # one that has ended in between stands in both


def _place(folder: Path) -> float:
    last = status.read(folder)
    return math.inf if last is None or not last.alive else last.ahead


def find_alive() -> frozenset[str]:
    """Names of the folders whose training waits, starts or runs."""
    return frozenset(
        folder.name
        for folder in jobs.unfinished((root(),))
        if (last := status.read(folder)) and last.alive
    )


def chosen() -> str:
    """The name of the folder that is watched; empty where there is none.  A link may name any that
    is done."""
    names = [folder.name for folder in (*list_trainings(), *jobs.finished((root(),), MOST_DONE))]
    asked = st.session_state.get(KEY) or st.query_params.get("training", "")
    if asked and asked not in names:
        if KEY not in st.session_state:
            st.warning(
                told(
                    "There is no training “{asked}” here. It may have been deleted, here or on the"
                    " page Runs.",
                    asked=escape(asked[:60]),
                )
            )
        st.session_state.pop(KEY, None)
        asked = ""
    return asked or next(iter(names), "")


def mode(busy: bool) -> str:
    """One of MODES, chosen by the reader; at first the trainings, where one goes on or a link names
    one.  A link with settings shows the form."""
    if training_form.waits():
        st.session_state[MODE] = MODES[0]
    elif (asked := st.session_state.pop(f"{MODE}.next", None)) or MODE not in st.session_state:
        st.session_state[MODE] = asked or MODES[busy or "training" in st.query_params]
    found = str(
        shell.bar().segmented_control(
            told("What to do"),
            MODES,
            key=MODE,
            required=True,
            label_visibility="collapsed",
            **labelled(),
        )
    )
    if found == MODES[1]:
        training_form.forget()
    return found


def choose(folder: Path) -> None:
    st.session_state[f"{MODE}.next"] = MODES[1]
    st.session_state[KEY] = folder.name
    st.query_params["training"] = folder.name


def title(folder: Path) -> str:
    wanted = jobs.read(folder)
    return (wanted.title if wanted else "") or folder.name


def overview(before: Collection[str], now: str) -> None:
    """The list; while anything is alive it is drawn again and again.  before: what was alive when
    the page was drawn; now: what is watched."""
    if find_alive() != before:
        st.rerun(scope="app")
    folders = list_trainings()
    if not folders:
        st.caption(
            told(
                "No training has been started on this computer yet. Choose “{modes}” above.",
                modes=told(MODES[0]),
            )
        )
        return
    st.markdown(
        told("**Your trainings**" if people.are_several() else "**Trainings on this computer**")
    )
    at_a_time = queue.limit()
    st.caption(
        told(
            "They continue when this page is closed. {at_a_time} run at a time on this"
            " computer, so that it stays responsive; the others are queued.",
            at_a_time=at_a_time,
        )
    )
    people.tell_audience()
    for folder in folders[:MOST]:
        bar, button = st.columns((8, 1), vertical_alignment="center")
        last = status.read(folder)
        mark = "▸ " if folder.name == now else ""
        words = f"{mark}**{escape(told(title(folder)))}**: {tell_state(folder, last)}"
        bar.progress(share(folder, last), words)
        key = f"training.see.{folder.name}"
        if button.button(told("Watch"), key=key, type="tertiary", disabled=folder.name == now):
            choose(folder)
            st.rerun(scope="app")
    if len(folders) > MOST:
        st.caption(told("{folders} more are not shown.", folders=len(folders) - MOST))


def share(folder: Path, last: TrainingStatus | None) -> float:
    if (folder / NOTE).is_file():
        return 1.0
    return min(1.0, max(0.0, last.step / last.total)) if last and last.total > 0 else 0.0


def tell_state(folder: Path, last: TrainingStatus | None) -> str:
    """How a training is, in a line."""
    if (folder / NOTE).is_file():
        return told("finished")
    if last is None:
        return told("not started" if jobs.read(folder) else "its files are damaged")
    at = _("step {step:,} of {total:,}", step=last.step, total=last.total) if last.total else ""
    if last.state == status.WAITING:
        ahead = _("{ahead} ahead of it", ahead=last.ahead) if last.ahead > 1 else _("next")
        return ", ".join(map(told, filter(None, (_("queued: {ahead}", ahead=ahead), at))))
    left = last.seconds_left if last.alive else None
    loss = next((value for name, value in last.metrics.items() if name.startswith("loss")), None)
    parts = (
        "" if last.state == status.RUNNING and at else last.state,
        at,
        _("{left} left", left=write_duration(left)) if left is not None else "",
        _("loss {loss:.3g}", loss=loss) if isinstance(loss, float) else "",
    )
    return ", ".join(map(told, filter(None, parts)))


def write_duration(seconds: float) -> str:
    """A time as a person says it."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return _("{minutes} min", minutes=minutes)
    if minutes < 48 * 60:
        return _("{minutes} h {minutes_2:02d} min", minutes=minutes // 60, minutes_2=minutes % 60)
    return _("{minutes} days", minutes=round(minutes / 1440))


def watch(name: str) -> None:
    folder = root() / name
    if not name or not folder.is_dir():
        return
    last = status.read(folder)
    st.subheader(escape(told(title(folder))), anchor="watch")
    st.caption(told("Run {name}: {folder}", name=escape(name), folder=tell_state(folder, last)))
    done = (folder / NOTE).is_file()
    if done:
        _open(name)
    else:
        _problem(folder, last)
        _buttons(folder, last)
    curves = watched.read(folder)
    _numbers(last, curves)
    if not curves:
        if last and last.alive:
            st.caption(
                told(
                    "Nothing to draw yet: the text is being read and tokenized."
                    if last.state != status.WAITING
                    else "Nothing to draw yet."
                )
            )
        return
    for part in (watched.curves, watched.seen):
        given = {"folder": folder, "clip": clipping(folder)}
        values = {**given, **controls.find_held("training", part, given)}
        Place(lesson("training"), part, values, name).show(part.blocks(**values))


def _problem(folder: Path, last: TrainingStatus | None) -> None:
    job = jobs.read(folder)
    if job is None:
        st.error(
            told(
                "Its settings file, job.json, is damaged, so it can't be resumed. Discard the"
                " training, or restore the file."
            )
        )
    if last is None or last.alive:
        return
    why = last.error or (
        jobs.last_words(folder) if last.state == status.BROKEN and not last.step else ""
    )
    failed = why and last.state == status.BROKEN
    what = "Training could not continue." if failed else ENDED.get(last.state, "")
    text = told(what) + (told(" Why: {why}.", why=escape(told(why.rstrip(".")))) if why else "")
    (st.error if last.state == status.FAILED or why else st.info)(text)


def _buttons(folder: Path, last: TrainingStatus | None) -> None:
    key, alive = f"training.do.{folder.name}", bool(last and last.alive)
    job = jobs.read(folder)
    best = _(", of step {best:,}", best=last.best[0]) if last and last.best else ""
    running = alive and last and last.state == status.RUNNING

    def pressed(label: str, id: str, icon: str, **more: Any) -> bool:
        return st.button(told(label), key=f"{key}.{id}", icon=f":material/{icon}:", **more)

    with st.container(horizontal=True, vertical_alignment="center"):
        if alive and pressed("Pause", "pause", "pause"):
            _try(lambda: control.write(folder, control.PAUSE), "Training pauses after this step.")
        if job and not alive and pressed("Resume", "go", "play_arrow"):
            _try(lambda: jobs.start(job, folder))
            st.rerun(scope="app")
        if running and pressed("Stop and keep the best", "stop", "stop"):
            _try(
                lambda: control.write(folder, control.STOP),
                "Training stops after this step; the best model so far becomes the run.",
            )
        kept = not alive and (folder / BEST).is_file()
        if job and kept and pressed(_("Keep the best so far{best}", best=best), "keep", "stop"):
            _try(lambda: jobs.start(job, folder, best=True))
            st.rerun(scope="app")
        if st.session_state.get(f"{key}.sure"):
            st.caption(told("The checkpoint, curves and snapshots will be deleted."))
            if pressed("Yes, discard it", "yes", "delete"):
                _try(lambda: jobs.drop(folder))
                st.session_state.pop(f"{key}.sure")
                st.rerun(scope="app")
            if st.button(told("Keep it"), key=f"{key}.no"):
                st.session_state.pop(f"{key}.sure")
                st.rerun(scope="fragment" if alive else "app")
        elif pressed("Discard", "drop", "delete", type="tertiary"):
            st.session_state[f"{key}.sure"] = True
            st.rerun(scope="fragment" if alive else "app")
    if job:
        with st.expander(told("Its command"), key=f"{key}.command"):
            st.code(job.command(folder), language="bash", wrap_lines=True)


def _try(act: object, said: str = "") -> None:
    """What can't be done is one sentence."""
    try:
        act()  # type: ignore[operator]
    except ValueError as problem:
        st.toast(told("That did not work: {problem}.", problem=escape(told(str(problem)))))
    except OSError as error:
        st.toast(told("The run folder can't be written: {error}.", error=reason(error)))
    else:
        if said:
            st.toast(told(said))


def _open(name: str) -> None:
    """Where a finished run can be seen."""
    try:
        run = RunStore(root()).find(name)
    except (LookupError, ValueError) as problem:
        st.error(
            told(
                "Training is finished, but the run can't be opened: {problem}.",
                problem=escape(told(str(problem))),
            )
        )
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(told("**Done.** Open it, or rewind its training, in"))
        for lesson in lessons_for(run):
            st.page_link(
                f"pages/{lesson.page}", label=told(lesson.title), query_params={"run": run.id}
            )
        st.page_link("pages/615_runs.py", label=told("Runs"), query_params={"run": run.id})


def _numbers(last: TrainingStatus | None, curves: watched.Curves) -> None:
    """The latest number of each kind."""
    shown: list[tuple[str, str, str]] = []
    for name, label, says in LATEST:
        if (found := curves.get(name)) and len(found[1]):
            shown.append((label, number(float(found[1][-1])), says))
    now = last if last and last.alive else None
    if now and now.tokens_per_second:
        pace = f"{now.tokens_per_second:,.0f}"
        shown.append(("Tokens per second", pace, "Training tokens read each second."))
    if now and now.memory_bytes:
        shown.append(("Memory", size(now.memory_bytes), "Held by the training process now."))
    if last and last.seconds:
        shown.append(("Trained for", write_duration(last.seconds), "Without pauses."))
    if now and now.seconds_left is not None:
        says = "At the pace so far, including held-out measurements and samples."
        shown.append(("Time left", write_duration(now.seconds_left), says))
    with st.container(horizontal=True, gap="medium"):
        for label, value, says in shown:
            st.metric(told(label), told(value), help=told(says), width="content")


def size(count: float) -> str:
    if count >= 1e9:
        return f"{count / 1e9:,.1f} GB"
    return f"{count / 1e6:,.0f} MB" if count >= 1e6 else f"{count / 1e3:,.0f} kB"


def clipping(folder: Path) -> float:
    """The gradient norm that nothing goes beyond; 0 where there is none."""
    job = jobs.read(folder)
    try:
        config = settings.config(models.get(job.model), job.settings) if job else None
    except (ValueError, KeyError, settings.Wrong):
        return 0.0
    return float(config.clip) if isinstance(config, Training) and config.clipping == "norm" else 0.0
