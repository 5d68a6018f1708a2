"""Pieces of words: vectors made of character n-grams, for words that nobody has seen."""

import streamlit as st

from pages.ui import shell
from pages.ui.meaning import pieces, pieces_made, pieces_models, pieces_shared

lesson, run = shell.enter("pieces", ("charngram",))


@st.fragment
def page() -> None:
    typed = pieces.ask(lesson)
    st.subheader("Which pieces is a word made of?", anchor=False)
    pieces.show(run, typed)
    st.subheader("What do two words share?", anchor=False)
    pieces_shared.show(run, typed)
    st.subheader("A vector for a word that was never seen", anchor=False)
    pieces_made.show(run, typed)
    st.subheader("Three ways to give a word a vector", anchor=False)
    pieces_models.show(typed)


page()
shell.sources(lesson, run)
