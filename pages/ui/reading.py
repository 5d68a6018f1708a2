"""How an imported run reads a text: behind its start token, alone, or as a conversation in its chat
template."""

from __future__ import annotations

import streamlit as st

from engine.language.message import _
from engine.live.markdown import escape
from engine.runs.store import Run
from engine.text import chat
from pages.ui.language import told

TALKS = (
    "The text is put into the chat template that came with the model, as the user's turn. A line that"
    " begins with “System:”, “User:” or “Assistant:” begins a turn; an assistant's turn at the end is what"
    " the model goes on with."
)


def choose_way(run: Run, page: str) -> Run:
    """The run as it reads; itself where it did not come with a start token."""
    about = run.note.get("checkpoint", {})
    if "opens" not in about:
        return run
    with st.container(horizontal=True, vertical_alignment="center"):
        # what they begin with differs from run to run, so each has its own
        if run.talks and st.toggle(
            told("As a conversation"),
            key=f"{page}.chat.{run.folder.name}",
            help=told(TALKS),
            bind="query-params",
        ):
            chat.start()
            return run.read_as("conversation")
        says = _(
            "The start token stands before every text where the model's own tokenizer puts it there: here it"
            " {does|does|does not}.",
            does=1 if about["opens"] else 2,
        )
        mark = st.toggle(
            told("Read behind {mark}", mark=escape(about["opening"])),
            about["opens"],
            key=f"{page}.start.{run.folder.name}",
            help=told(says),
            bind="query-params",
        )
    return run.read_as("behind" if mark else "alone")
