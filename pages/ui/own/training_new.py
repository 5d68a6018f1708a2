"""A new training: which model on which text, with which settings; what it will cost; and the start."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from engine.registry import models
from engine.runs import NOTE, Recipe, digest
from engine.training import job as jobs
from engine.training import told
from engine.training.job import Job
from pages.ui import texts
from pages.ui.own import form, training_kept, training_list, training_preview, training_time
from pages.ui.plain import escape

FIRST = "lstm"
KINDS = {"text": "plain texts", "labelled": "texts with a label in each line", "parallel": "lines with their translation", "tagged": "words with their tags"}


@st.cache_resource(show_spinner=False)
def trainable() -> dict[str, str]:
    """{id: title} of the models."""
    return {id: models.get(id).card.title for id in models.ids()}


def kind_of(id: str) -> str:
    """The kind of corpus that a model learns from."""
    model = models.get(id)
    if not hasattr(model, "sample"):
        return "text"
    return "tagged" if "\t" not in model.sample else "labelled" if hasattr(model, "parse") else "parallel"


def timing() -> bool:
    return training_time.timing()


def show() -> None:
    left, right = st.columns(2)
    with left:
        model = _model()
    kind = kind_of(model)
    options = texts.listed(kind)
    if not options:
        right.info(f"{trainable()[model]} learns from {KINDS[kind]}, and there is no such text yet.")
        right.page_link("pages/35_corpora.py", label="Bring one on the page Corpora")
        return
    with right:
        text = texts.pick("Text", options, f"training.text.{kind}", "stories", persist_state="session", help=f"Learns from {KINDS[kind]}. Bring your own on the page Corpora.")
    key = f"training.{model}"
    training_time.presets(model, text, key)
    values = form.show(models.get(model).config_type, key)
    kept = training_kept.ask(model, text, kind, options[text])
    _changed(model, key, values)
    try:
        config = models.get(model).config_type(**values)
    except (ValueError, TypeError) as problem:
        st.error(f"This can't be trained: {escape(str(problem))}.")
        return
    if not training_preview.show(model, text, config, kept, key):
        return
    job = Job(model, (text,), form.pairs(type(config), values), title=kept.title, seed=kept.seed, snapshots=kept.snapshots, looks=kept.looks,
              prompts=kept.prompts, memory=kept.memory, tensorboard=kept.tensorboard, queue=True)  # fmt: skip
    if st.button("Start training", key="training.start", icon=":material/play_arrow:"):
        _start(job, config, kept.name)
    with st.expander("The same on the command line", key="training.command"):
        st.code(job.command(training_list.root() / f"{model}-{training_kept.slug(kept.name) or 1}"), language="bash", wrap_lines=True)
        st.caption("Type it in the folder of Unrolled. What it does then shows on this page too, as long as its folder lies where this one does.")


def _model() -> str:
    known, key = list(trainable()), "training.model"
    asked = st.query_params.get("model", "")
    if st.session_state.get(key) not in known:
        if asked and asked not in known:
            st.warning(f"There is no model “{escape(asked[:40])}”; another one is chosen.")
        st.session_state[key] = st.session_state.get("training.model.kept", asked if asked in known else FIRST)

    def note() -> None:
        st.query_params["model"] = st.session_state[key]

    found = str(st.selectbox("Model", known, key=key, on_change=note, format_func=lambda id: f"{trainable()[id]} ({id})"))
    st.session_state["training.model.kept"] = found
    return found


def _changed(model: str, key: str, values: dict[str, Any]) -> None:
    """What differs from the defaults, in a line, with the way back."""
    found = form.changed(models.get(model).config_type, values)
    if not found:
        st.caption("All settings are at their defaults.")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption("Changed: " + ", ".join(f"**{name.replace('_', ' ')}** {escape(form.written(value))} (default {escape(form.written(default) or 'empty')})" for name, value, default in found) + ".")
        if st.button("Back to the defaults", key=f"{key}.reset", type="tertiary"):
            form.reset(key)
            st.rerun()


def _start(job: Job, config: Any, name: str) -> None:
    """In a process of its own; what stands in the way is one sentence."""
    try:
        recipe = Recipe(job.model, config, digest(training_preview.text_of(job.texts[0])), job.seed)
        folder = _folder(job, f"{job.model}-{training_kept.slug(name) or recipe.key}")
        if (folder / NOTE).is_file():
            st.info("This very training is done already; it is shown below. For another one, change its name, its seed or a setting.")
        elif not ((last := told.read(folder)) and last.alive):  # else it was started in another window: it is watched
            jobs.start(job, folder)
    except (ValueError, LookupError) as problem:
        st.error(f"It was not started: {escape(str(problem))}.")
        return
    except OSError as error:
        st.error(f"It was not started: the folder of the runs, {training_list.root()}, can't be written ({(error.strerror or 'unknown reason').lower()}). Free some space, or set UNROLLED_HOME.")
        return
    training_list.choose(folder)
    st.rerun(scope="app")


def _folder(job: Job, name: str) -> Path:
    """A new one, or that of the same training."""
    n, folder = 1, training_list.root() / name
    while folder.exists() and jobs.read(folder) != job:
        n += 1
        folder = training_list.root() / f"{name}-{n}"
    return folder
