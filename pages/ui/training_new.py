"""A new training: which model on which text; what it will cost, counted, and timed on its first steps in a
process of its own; and the start."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st
from msgspec.structs import replace

from engine.core.registry import models
from engine.language.message import _
from engine.live import cache
from engine.live.markdown import escape
from engine.models.abilities import GoesOn
from engine.nn.plan import Batched, Repeated, Stepped
from engine.runs.store import Recipe, Run, RunStore, digest
from engine.storage.files import reason
from engine.storage.run_folder import NOTE
from engine.text import collection
from engine.text.slug import slug
from engine.training import estimate, going_on, settings_in_address, status
from engine.training import job as jobs
from engine.training.estimate import Estimate
from engine.training.job import Job
from engine.training.timing import Probe, Probed
from pages.ui import place, texts, training_on
from pages.ui import training as room
from pages.ui import training_form as form
from pages.ui.language import labelled, told
from pages.ui.training_form import KINDS

FIRST = "lstm"


@st.cache_resource(show_spinner=False)
def trainable() -> dict[str, str]:
    """{id: title} of the models."""
    return {id: models.get(id).card.title for id in models.ids()}


def show_form() -> None:
    form.arrive()
    left, right, start = st.columns((5, 5, 3), vertical_alignment="bottom")
    with left:
        model = _model()
    kind = models.get(model).corpus.value
    options = texts.listed(kind)
    if not options:
        right.info(
            told(
                "{trainable} is trained on {kinds}, and there is no such text yet.",
                trainable=_(trainable()[model]),
                kinds=_(KINDS[kind]),
            )
        )
        right.page_link("pages/605_corpora.py", label=told("Add one on the page Your texts"))
        return
    with right:
        text = texts.pick(
            "Text",
            options,
            f"training.text.{kind}",
            "stories",
            persist_state="session",
            help=told(
                "Trained on {kinds}. Add your own on the page Your texts.", kinds=_(KINDS[kind])
            ),
        )
    if begins := training_on.pick(model):
        go_on(begins, text, kind, options[text], start)
        return
    key = f"training.{model}"
    form.take_link(model, key)
    presets(model, text, key)
    cost = place.panel("cost")
    values = form.draw_settings(models.get(model).config_type, key)
    name, job = form.ask_for_job(model, text, kind, options[text])
    _changed(model, key, values)
    try:
        config = models.get(model).config_type(**values)
    except (ValueError, TypeError) as problem:
        st.error(told("This can't be trained: {problem}.", problem=escape(told(str(problem)))))
        return
    with cost:
        fits = cost_of(job, config, key)
    if not fits:
        return
    launch(replace(job, settings=form.pairs(type(config), values)), config, name, start)


def go_on(run: Run, text: str, kind: str, label: str, start: Any) -> None:
    """A training that goes on from a run."""
    cost = place.panel("cost")
    config = training_on.settings(run)
    name, job = form.ask_for_job(run.model, text, kind, label)
    if config is None:
        return
    with cost:
        fits = cost_of(replace(job, start=run.id), config, f"training.on.{run.model}.{run.id}")
    if not fits:
        return
    title = job.title if name else _("{title} on {label}", title=_(run.title), label=_(label))
    pairs = training_on.pairs(run, config)
    launch(replace(job, settings=pairs, start=run.id, title=title), config, name, start)


def launch(job: Job, config: Any, name: str, start: Any) -> None:
    """The button, and the same as a command."""
    if start.button(told("Start training"), key="training.start", icon=":material/play_arrow:"):
        _start(job, config, name)
    with st.expander(told("The same on the command line"), key="training.command"):
        command = job.command(room.root() / f"{job.model}-{slug(name) or 1}")
        st.code(command, language="bash", wrap_lines=True)
        st.caption(
            told(
                "Run it from the Unrolled folder. Its progress appears on this page too, as long as"
                " its run folder is in the same place."
            )
        )


def _model() -> str:
    known, key = list(trainable()), "training.model"
    asked = st.query_params.get("model", "")
    # until another one is chosen: the page may be drawn again at any moment
    if asked and asked not in known:
        st.warning(
            told("There is no model “{asked}”; another one is selected.", asked=escape(asked[:40]))
        )
    if st.session_state.get(key) not in known:
        st.session_state[key] = st.session_state.get(
            "training.model.kept", asked if asked in known else FIRST
        )

    def note() -> None:
        form.forget()
        st.query_params["model"] = st.session_state[key]

    found = st.selectbox(
        told("Model"), known, key=key, on_change=note, **labelled(trainable().__getitem__)
    )
    st.session_state["training.model.kept"] = found
    return found


def _changed(model: str, key: str, values: dict[str, Any]) -> None:
    """What differs from the defaults, in a line, with the way back."""
    found = form.find_changed(models.get(model).config_type, values)
    form.note(model, {name: value for name, value, __ in found})
    if not found:
        st.caption(told("All settings are at their defaults."))
        return
    said = ", ".join(
        told(
            "**{name}** {value} (default {value_2})",
            name=told(name.replace("_", " ")),
            value=escape(settings_in_address.written(value)),
            value_2=escape(settings_in_address.written(default) or "empty"),
        )
        for name, value, default in found
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(told("Changed: {said}.", said=said))
        if st.button(told("Restore defaults"), key=f"{key}.reset", type="tertiary"):
            form.reset(key)
            st.rerun()


def _start(job: Job, config: Any, name: str) -> None:
    """In a process of its own; what stands in the way is one sentence."""
    try:
        begun = str(RunStore().find(job.start).note.get("recipe")) if job.start else ""
        recipe = Recipe(job.model, config, digest(text_of(job.texts[0])), job.seed, begun)
        folder = _folder(job, f"{job.model}-{slug(name) or recipe.key}")
        if (folder / NOTE).is_file():
            st.info(
                told(
                    "This training has already been done; it is shown below. To train another"
                    " model, change the name, the seed or a setting."
                )
            )
        elif not ((last := status.read(folder)) and last.alive):
            # else it was started in another window: it is watched
            jobs.start(job, folder)
    except (ValueError, LookupError) as problem:
        st.error(told("Training was not started: {problem}.", problem=escape(told(str(problem)))))
        return
    except OSError as error:
        st.error(
            told(
                "Training was not started: the runs folder {root} can't be written ({error})."
                " Free some space, or set UNROLLED_HOME.",
                root=room.root(),
                error=reason(error),
            )
        )
        return
    room.choose(folder)
    st.rerun(scope="app")


def _folder(job: Job, name: str) -> Path:
    """A new one, or that of the same training."""
    n, folder = 1, room.root() / name
    while folder.exists() and jobs.read(folder) != job:
        n += 1
        folder = room.root() / f"{name}-{n}"
    return folder


# name, what is said of it, seconds, factor of the sizes
PRESETS = (
    ("Quick look", "about a minute", 60, 0.5),
    ("Coffee break", "about ten minutes", 600, 1.0),
    ("An evening", "about three hours", 10_800, 2.0),
)
SIZES = ("units", "width", "layers")
# do not change how long a step takes
FREE = ("steps", "epochs", "rate", "patience", "held_out_every", "schedule", "warmup")


@st.cache_resource(show_spinner=False)
def timed() -> dict[str, tuple[Probed, Any]]:
    """What was measured, by model, text and the settings that a step's time depends on; with the
    config it was measured with."""
    return {}


def timing() -> bool:
    return st.session_state.get("training.probe") is not None


def presets(model: str, text: str, key: str) -> None:
    """Sizes and steps for a time that the reader has; none for a model that counts."""
    made = models.get(model)
    names = {one.name for one in fields(made.config_type)}
    if not names & {"steps", "epochs"}:
        return

    def choose(seconds: int, factor: float) -> None:
        form.reset(key)
        sizes = {}
        usual = asdict(made.config_type())
        for one in fields(made.config_type):
            if one.name in SIZES and factor != 1:
                wanted = usual[one.name] * (factor**0.6 if one.name == "layers" else factor)
                sizes[one.name] = int(np.clip(wanted, one.metadata["min"], one.metadata["max"]))
        form.set_to(key, sizes)
        st.session_state["training.wish"] = (model, text, seconds)

    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.markdown(told("How much time do you have?"))
        for name, says, seconds, factor in PRESETS:
            st.button(
                f"{told(name)}: {told(says)}",
                key=f"training.preset.{name}",
                on_click=choose,
                args=(seconds, factor),
                disabled=timing(),
            )


def probe_of(job: Job, config: Any) -> Probe:
    return Probe(job.model, config, job.texts[0], start=job.start)


def offer(job: Job, config: Any, about: str, measured: bool) -> None:
    """The button that starts measuring, or the one that ends it."""
    if timing():
        st.caption(told("Timing the first steps …"))
        if st.button(told("Stop"), key="training.probe.stop"):
            __, probe, __ = st.session_state.pop("training.probe")
            probe.stop()
            st.session_state.pop("training.wish", None)
            st.rerun(scope="app")
    elif not measured and st.button(
        told("Measure the time"),
        key="training.time",
        help=told("Runs the first steps in a separate process; takes some seconds."),
    ):
        st.session_state["training.probe"] = (about, probe_of(job, config), config)
        st.rerun(scope="app")


def seconds_of(measured: tuple[Probed, Any], config: Any) -> float:
    probed, then = measured
    if isinstance(config, Stepped) and config.steps:
        return probed.seconds(config.steps)
    if isinstance(config, Repeated):
        return probed.seconds(round(probed.steps * config.epochs / then.epochs))
    return probed.seconds(probed.steps)


def probing(job: Job, config: Any, about: str, key: str) -> None:
    """Start what a preset asked for, hear what a probe found, and choose the steps that fit the
    time."""
    wish = st.session_state.get("training.wish")
    if running := st.session_state.get("training.probe"):
        of, probe, then = running
        if (state := probe.state) is None:
            return
        if isinstance(state, str):
            st.session_state.pop("training.wish", None)
            st.session_state["training.probe.problem"] = state
        else:
            timed()[of] = (state, then)
        st.session_state.pop("training.probe")
        st.rerun(scope="app")
    if problem := st.session_state.pop("training.probe.problem", ""):
        st.warning(told("The time could not be measured: {problem}.", problem=escape(problem)))
    if not wish:
        return
    if wish[:2] != (job.model, job.texts[0]):  # the reader has gone on to something else
        st.session_state.pop("training.wish")
        return
    if not (measured := timed().get(about)):
        st.session_state["training.probe"] = (about, probe_of(job, config), config)
        st.rerun(scope="app")
    st.session_state.pop("training.wish")
    form.set_to(key, steps_for(measured, config, wish[2]))
    st.rerun(scope="app")


def steps_for(measured: tuple[Probed, Any], config: Any, seconds: float) -> dict[str, int]:
    """How many steps, or epochs, fit into a time; measured on held-out text about fifteen times on
    the way."""
    probed, then = measured
    limits = {one.name: one.metadata for one in fields(config)}
    left = max(1.0, seconds - probed.first)
    if isinstance(config, Repeated):
        epoch = probed.steps * probed.step / then.epochs
        return {"epochs": int(min(max(1, left / max(epoch, 1e-6)), limits["epochs"]["max"]))}
    # the rest for held-out text, samples and snapshots
    steps = int(min(max(10, 0.85 * left / max(probed.step, 1e-6)), limits["steps"]["max"]))
    steps = round(steps, 1 - len(str(steps)) + 1)
    found = {"steps": steps}
    if "held_out_every" in limits:
        found["held_out_every"] = max(1, min(500, steps // 15))
    return found


@st.cache_resource(max_entries=1, ttl=120, show_spinner=False)  # it may be large
def text_of(id: str) -> str:
    return collection.find(id).text()


@st.cache_resource(max_entries=128, show_spinner=False)
def _estimated(
    model: str, text: str, settings: str, snapshots: int, start: str, _config: Any
) -> Estimate | str:
    """Or why not, in one sentence."""
    try:
        if start:
            run = RunStore().find(start)
            learned, _every = training_on.counted(start, str(run.key), _config)
            begin = going_on.Start(run, cache.model(run, GoesOn))
            return estimate.estimate_start(begin, _config, text_of(text), learned, snapshots)
        return estimate.estimate(model, _config, text_of(text), snapshots)
    except (ValueError, LookupError) as problem:
        return str(problem)


def cost_of(job: Job, config: Any, key: str) -> bool:
    """False where it can't be trained, which is then said."""
    model, (text,) = job.model, job.texts
    settings = {k: v for k, v in asdict(config).items() if k not in FREE}
    about = json.dumps([model, text, job.start, settings], sort_keys=True)
    steps = str(config.steps if isinstance(config, Stepped) else "")
    with st.spinner(told("Counting tokens and parameters …")):
        found = _estimated(model, text, about + steps, job.snapshots, job.start, config)
    if isinstance(found, str):
        st.error(told("This can't be trained: {found}.", found=escape(told(found))))
        return False
    probing(job, config, about, key)
    measured = timed().get(about)
    seconds = seconds_of(measured, config) if measured else None
    boxes = st.columns(4)
    cut, sign = found.cut, "" if found.cut.whole else _("about ")
    if found.parameters:
        boxes[0].metric(
            told("Parameters"),
            told("{n:,}", n=found.parameters),
            help=told(
                "Numbers that are learned, for a vocabulary of {sign}{vocabulary:,} tokens.",
                sign=sign,
                vocabulary=cut.vocabulary,
            ),
        )
    elif cut.ngrams:
        counts = ", ".join(told("{n:,} of {m}", n=n, m=m) for m, n in enumerate(cut.ngrams, 1))
        says: str = _("Different runs of tokens: {counts}", counts=counts)
        boxes[0].metric(told("N-grams"), told("{n:,}", n=sum(cut.ngrams)), help=told(says))
    else:
        says = "This model counts; it has no real-valued parameters."
        boxes[0].metric(told("Parameters"), told("none"), help=told(says))
    memory = found.memory_bytes or (measured[0].memory_bytes if measured else 0)
    boxes[1].metric(
        told("Memory"),
        room.size(memory) if memory else told("not yet"),
        help=told("During training. An estimate; the true figure is shown while it runs.")
        + (
            told(" Above {memory:g} GB the training is stopped.", memory=job.memory)
            if job.memory
            else ""
        ),
    )
    boxes[2].metric(
        told("Disk"),
        room.size(found.disk_bytes) if found.disk_bytes else told("a few MB"),
        help=told("With snapshots, and a checkpoint that is deleted at the end."),
    )
    boxes[3].metric(
        told("Time"),
        told(room.write_duration(seconds) if seconds is not None else "not yet"),
        help=told(
            "Time per step, measured on the first ones, times the number of steps. Other jobs"
            " on this computer make it longer."
        ),
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        says = (
            _(
                "{tokens:,} tokens to learn from, {vocabulary:,} different ones",
                tokens=cut.tokens,
                vocabulary=cut.vocabulary,
            )
            if cut.whole
            else _(
                "About {tokens:,} tokens to learn from, about {vocabulary:,} different ones",
                tokens=cut.tokens,
                vocabulary=cut.vocabulary,
            )
        )
        labels = _("; {labels} labels", labels=cut.labels) if cut.labels else ""
        st.caption(
            told(
                "{says}{labels}; {characters:,} characters.",
                says=_(says),
                labels=labels,
                characters=found.characters,
            )
        )
        offer(job, config, about, bool(measured))
    _warn(found, config, memory, 1e9 * job.memory)
    return True


def _warn(found: Estimate, config: Any, memory: int, most: float) -> None:
    free, disk = estimate.room(room.root())
    if memory > free:
        st.warning(
            told(
                "Training needs about {memory} of memory, and {free} is free. Choose a smaller"
                " batch, span or model, or use gradient accumulation or recomputation.",
                memory=room.size(memory),
                free=room.size(free),
            )
        )
    elif memory > most > 0:
        st.warning(
            told(
                "Training needs about {memory} of memory, above the limit of {most}, and will"
                " be stopped there. Choose a smaller batch, span or model, or raise the limit"
                " under “Name, seed, samples and snapshots”.",
                memory=room.size(memory),
                most=room.size(most),
            )
        )
    if found.disk_bytes > disk:
        st.warning(
            told(
                "Training needs about {disk_bytes} of disk space, and {disk} is free. Choose"
                " fewer snapshots or a smaller model.",
                disk_bytes=room.size(found.disk_bytes),
                disk=room.size(disk),
            )
        )
    if isinstance(config, Batched) and config.batch * config.span > found.cut.tokens:
        st.info(
            told(
                "The text has {tokens:,} tokens, fewer than one step reads ({batch} × {span})."
                " The model will soon memorise it.",
                tokens=found.cut.tokens,
                batch=config.batch,
                span=config.span,
            )
        )
