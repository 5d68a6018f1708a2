"""A training that goes on from a finished run: which one, what of it learns, and the start."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

import streamlit as st

from engine.core.registry import models, tunings
from engine.language.message import _
from engine.live.markdown import escape
from engine.models.abilities import GoesOn
from engine.runs.store import Run, RunStore
from engine.training import going_on, settings_in_address
from pages.ui import training_form as form
from pages.ui.language import labelled, told

ASKED = "start"  # in the address
GROUPS = {"tuning": "What learns", "training": "Training settings"}


def pick(model: str) -> Run | None:
    """The run of this model that it goes on from; None: it begins with random weights."""
    if not issubclass(models.get(model), GoesOn):
        return None
    found = {run.id: run for run in RunStore().all(model)}
    key = f"training.on.{model}"
    asked = st.query_params.get(ASKED, "")
    if st.session_state.get(key) not in ("", *found):
        st.session_state[key] = asked if asked in found else ""
    titles = {"": told("random weights"), **{id: told(run.title) for id, run in found.items()}}

    def note() -> None:
        if chosen := st.session_state[key]:
            st.query_params[ASKED] = chosen
        else:
            st.query_params.pop(ASKED, None)

    help = _("A finished run goes on learning, on the text that is chosen here: fine-tuning.")
    chosen = st.selectbox(
        told("Begin with"),
        list(titles),
        key=key,
        on_change=note,
        help=told(help),
        **labelled(titles.__getitem__),
    )
    return found.get(chosen)


def settings(run: Run) -> Any:
    """Draw the controls; the config, or None where it can't be, which is said."""
    key = f"training.on.{run.model}.{run.id}"
    kind = models.get(run.model).config_type
    asked = form.linked(run.model)
    if asked is not None or f"{key}.kept" not in st.session_state:
        begin = going_on.config_of(run, asked)
        form.set_to(key, asdict(begin))
        st.session_state[f"{key}.was"] = begin.tune
    values = form.draw_settings(kind, key, GROUPS)
    tune = str(values["tune"])
    if st.session_state.get(f"{key}.was", "whole") != tune:  # each way has a rate of its own
        st.session_state[f"{key}.was"] = tune
        form.set_to(key, {"rate": going_on.config_of(run, {"tune": tune}).rate})
        st.rerun()
    try:
        config = going_on.config_of(run, values)
        learned, every = counted(run.id, str(run.key), config)
    except (ValueError, LookupError) as problem:
        st.error(told("This can't be trained: {problem}.", problem=escape(told(str(problem)))))
        return None
    st.caption(
        told(
            "{says} {learned:,} of {every:,} parameters learn ({share:.2%}).",
            says=_(tunings.get(tune).says),
            learned=learned,
            every=every,
            share=learned / every,
        )
    )
    return config


@st.cache_data(max_entries=64, show_spinner=False)
def counted(run: str, _key: str, config: Any) -> tuple[int, int]:
    return going_on.count(RunStore().find(run), config)


def pairs(run: Run, config: Any) -> tuple[str, ...]:
    """What differs from what is usual for this way, as the command takes it."""
    usual = going_on.config_of(run, {"tune": config.tune})
    return tuple(
        f"{one.name}={settings_in_address.written(getattr(config, one.name))}"
        for one in fields(config)
        if one.name == "tune" or getattr(config, one.name) != getattr(usual, one.name)
    )
