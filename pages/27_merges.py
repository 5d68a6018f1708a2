"""Merges: how the pieces of words are learned, step by step, on the typed text."""

from dataclasses import replace

import streamlit as st

from pages.ui import live, shell
from pages.ui.words import merges, merges_notes

lesson = shell.head("merges")
live.show(replace(shell.opening(lesson), prompt="Type the text to learn from: everything below answers with every key"), merges.stage)


@st.fragment
def page() -> None:
    merges_notes.show()


page()
shell.sources(lesson)
