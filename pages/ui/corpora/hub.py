"""A data set by its name at the hub: the one thing of this page that needs the network, so it is
asked for by hand."""

from __future__ import annotations

import streamlit as st

KEY = "corpora.hub"


def show(turn: int) -> tuple[str, str] | None:
    """(name, part) of what was asked for."""
    with (
        st.expander("Or a data set from the Hugging Face hub, by name"),
        st.form(f"corpora.hub.{turn}", border=False),
    ):
        row = st.container(horizontal=True, vertical_alignment="bottom")
        name = row.text_input(
            "Data set",
            placeholder="owner/name",
            max_chars=201,
            key=f"corpora.hub.name.{turn}",
            width=320,
        )
        part = row.text_input(
            "Split",
            "train",
            max_chars=60,
            key=f"corpora.hub.part.{turn}",
            width=140,
            help="Most data sets have a split called train; many also have validation and test.",
        )
        if row.form_submit_button("Fetch it"):
            st.session_state[KEY] = name.strip(), part.strip() or "train"
        st.caption(
            "This needs a network connection and the package `datasets`. The hub sees which"
            " data set you ask for; none of your texts is sent. Data sets that contain a"
            " program are refused. To cancel, clear the name and press the button."
        )
    asked = st.session_state.get(KEY)
    return asked if asked and asked[0] else None
