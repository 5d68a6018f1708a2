"""What this visitor has typed, on whichever live page: it goes along from one to the next."""

from __future__ import annotations

import streamlit as st

from engine.live.session import TypedText
from engine.live.stage import MOST_CHARACTERS

KEY = "typed"


def typed() -> TypedText:
    """This visitor's, which begins with the text that the address brought."""
    found = st.session_state.get(KEY)
    if not isinstance(found, TypedText):
        found = st.session_state[KEY] = TypedText()
    if found.text is None and "text" in st.query_params:
        found.text = st.query_params["text"][:MOST_CHARACTERS]
    return found


def text(default: str = "") -> str:
    """The text in the box; `default` as long as nothing was typed."""
    found = typed().text
    return default if found is None else found
