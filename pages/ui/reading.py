"""How an imported run reads a text: behind its start token, alone, or as a conversation in its chat
template."""

from __future__ import annotations

from itertools import groupby

import streamlit as st

from engine.language.message import _
from engine.live import cache
from engine.live.markdown import escape
from engine.models.base import Model
from engine.runs.store import Run
from engine.text import chat
from engine.views.theme import visible
from pages.ui import typed
from pages.ui.fragment import fragment
from pages.ui.language import told

TALKS = (
    "The text is put into the chat template that came with the model, as the user's turn. A line that"
    " begins with “System:”, “User:” or “Assistant:” begins a turn; an assistant's turn at the end is what"
    " the model goes on with."
)
MOST = 2_000  # tokens


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
            talks = run.read_as("conversation")
            _show_template(talks, page)
            return talks
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


@fragment
def _show_template(run: Run, page: str) -> None:
    """What the template adds to the text in the box, a chip for each token."""
    key = f"{page}.template"
    with st.popover(told("What the template adds"), key=key, on_change="rerun") as popover:
        if not popover.open:
            return
        text = typed.text()
        tokenizer = cache.model(run, Model).tokenizer
        if why := tokenizer.note(text):
            st.caption(told(why))
            return
        tokens = tokenizer.encode(text)[:MOST]
        added = [start == stop for start, stop in tokens.spans]
        st.caption(
            told(
                "{added:,} {added|token|tokens} of the template, grey, around {typed:,} of what was typed, blue:",
                added=sum(added),
                typed=len(added) - sum(added),
            )
        )
        for of_template, places in groupby(range(len(added)), lambda t: added[t]):
            labels = [visible(tokens.labels[t], 40) for t in places]
            colour = "gray" if of_template else "blue"
            st.markdown(" ".join(f":{colour}-badge[{escape(label)}]" for label in labels))
