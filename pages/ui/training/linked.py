"""The settings that a link brings into the form, and those of the form in the address."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from engine.cli import settings
from engine.cli.console import Wrong
from engine.core.registry import models
from engine.live.markdown import escape
from pages.ui import train
from pages.ui.training import form

KINDS = {
    "text": "plain texts",
    "labelled": "labelled texts, one a line",
    "parallel": "lines with translations",
    "tagged": "tagged words",
}
TAKEN = "training.linked"  # what of the address this session has taken into the form, or written


def _address() -> tuple[str, str]:
    return st.query_params.get("model", ""), st.query_params.get(train.ASKED, "")


def waits() -> bool:
    """Whether the address asks for settings that the form has not taken yet."""
    return bool(_address()[1]) and _address() != st.session_state.get(TAKEN)


def arrive() -> None:
    """Let the model and the text that stand beside new settings be chosen too."""
    if waits():
        if "model" in st.query_params:
            for key in ("training.model", "training.model.kept"):
                st.session_state.pop(key, None)
        if "corpus" in st.query_params:
            for kind in KINDS:
                st.session_state.pop(f"training.text.{kind}", None)


def take(model: str, key: str) -> None:
    """Everything at its default but what the link asks for; what can't be is left out, and said."""
    if not waits():
        return
    st.session_state[TAKEN] = _address()
    found: dict[str, object] = {}
    for pair in train.parted(st.query_params[train.ASKED]):
        try:
            found |= settings.values(models.get(model), [pair])
        except Wrong as problem:
            said = str(problem).removeprefix("--set ")
            st.warning(f"A setting of the link was left out: {escape(said[:300])}.")
    form.reset(key)
    form.set_to(key, found)


def note(model: str, changed: Mapping[str, object]) -> None:
    """Write what differs from the defaults into the address."""
    said = train.joined(changed)
    if said and len(said) <= train.MOST:
        for name, value in (("model", model), (train.ASKED, said)):
            if st.query_params.get(name) != value:
                st.query_params[name] = value
    else:
        forget()
    st.session_state[TAKEN] = _address()


def forget() -> None:
    """The address says no more of the form."""
    if train.ASKED in st.query_params:
        del st.query_params[train.ASKED]
