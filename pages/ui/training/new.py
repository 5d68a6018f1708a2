"""A new training: which model on which text, with which settings; what it will cost; and the
start."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st
from msgspec.structs import replace

from engine.core.registry import models
from engine.live.markdown import escape
from engine.runs.store import Recipe, digest
from engine.storage.files import reason
from engine.storage.run_folder import NOTE
from engine.text.slug import slug
from engine.training import job as jobs
from engine.training import status
from engine.training.job import Job
from pages.ui import place, texts, train
from pages.ui.training import estimate, form, kept, linked, overview, preview

FIRST = "lstm"


@st.cache_resource(show_spinner=False)
def trainable() -> dict[str, str]:
    """{id: title} of the models."""
    return {id: models.get(id).card.title for id in models.ids()}


def show() -> None:
    linked.arrive()
    left, right, start = st.columns((5, 5, 3), vertical_alignment="bottom")
    with left:
        model = _model()
    kind = models.get(model).corpus.value
    options = texts.listed(kind)
    if not options:
        right.info(
            f"{trainable()[model]} is trained on {linked.KINDS[kind]}, and there is no such text yet."
        )
        right.page_link("pages/605_corpora.py", label="Add one on the page Your texts")
        return
    with right:
        text = texts.pick(
            "Text",
            options,
            f"training.text.{kind}",
            "stories",
            persist_state="session",
            help=f"Trained on {linked.KINDS[kind]}. Add your own on the page Your texts.",
        )
    key = f"training.{model}"
    linked.take(model, key)
    estimate.presets(model, text, key)
    cost = place.panel("cost")
    values = form.show(models.get(model).config_type, key)
    name, job = kept.ask(model, text, kind, options[text])
    _changed(model, key, values)
    try:
        config = models.get(model).config_type(**values)
    except (ValueError, TypeError) as problem:
        st.error(f"This can't be trained: {escape(str(problem))}.")
        return
    with cost:
        fits = preview.show(job, config, key)
    if not fits:
        return
    job = replace(job, settings=form.pairs(type(config), values))
    if start.button("Start training", key="training.start", icon=":material/play_arrow:"):
        _start(job, config, name)
    with st.expander("The same on the command line", key="training.command"):
        command = job.command(overview.root() / f"{model}-{slug(name) or 1}")
        st.code(command, language="bash", wrap_lines=True)
        st.caption(
            "Run it from the Unrolled folder. Its progress appears on this page too, as long as"
            " its run folder is in the same place."
        )


def _model() -> str:
    known, key = list(trainable()), "training.model"
    asked = st.query_params.get("model", "")
    # until another one is chosen: the page may be drawn again at any moment
    if asked and asked not in known:
        st.warning(f"There is no model “{escape(asked[:40])}”; another one is selected.")
    if st.session_state.get(key) not in known:
        st.session_state[key] = st.session_state.get(
            "training.model.kept", asked if asked in known else FIRST
        )

    def note() -> None:
        linked.forget()
        st.query_params["model"] = st.session_state[key]

    found = st.selectbox(
        "Model", known, key=key, on_change=note, format_func=lambda id: trainable()[id]
    )
    st.session_state["training.model.kept"] = found
    return found


def _changed(model: str, key: str, values: dict[str, Any]) -> None:
    """What differs from the defaults, in a line, with the way back."""
    found = form.changed(models.get(model).config_type, values)
    linked.note(model, {name: value for name, value, _ in found})
    if not found:
        st.caption("All settings are at their defaults.")
        return
    said = ", ".join(
        f"**{name.replace('_', ' ')}** {escape(train.written(value))} (default"
        f" {escape(train.written(default) or 'empty')})"
        for name, value, default in found
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"Changed: {said}.")
        if st.button("Restore defaults", key=f"{key}.reset", type="tertiary"):
            form.reset(key)
            st.rerun()


def _start(job: Job, config: Any, name: str) -> None:
    """In a process of its own; what stands in the way is one sentence."""
    try:
        recipe = Recipe(job.model, config, digest(preview.text_of(job.texts[0])), job.seed)
        folder = _folder(job, f"{job.model}-{slug(name) or recipe.key}")
        if (folder / NOTE).is_file():
            st.info(
                "This training has already been done; it is shown below. To train another"
                " model, change the name, the seed or a setting."
            )
        elif not ((last := status.read(folder)) and last.alive):
            # else it was started in another window: it is watched
            jobs.start(job, folder)
    except (ValueError, LookupError) as problem:
        st.error(f"Training was not started: {escape(str(problem))}.")
        return
    except OSError as error:
        st.error(
            f"Training was not started: the runs folder {overview.root()} can't be written"
            f" ({reason(error)}). Free some space, or set"
            " UNROLLED_HOME."
        )
        return
    overview.choose(folder)
    st.rerun(scope="app")


def _folder(job: Job, name: str) -> Path:
    """A new one, or that of the same training."""
    n, folder = 1, overview.root() / name
    while folder.exists() and jobs.read(folder) != job:
        n += 1
        folder = overview.root() / f"{name}-{n}"
    return folder
