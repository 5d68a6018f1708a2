"""Pieces of words: vectors made of character n-grams, for words that nobody has seen."""

import streamlit as st

from pages.ui import place, shell
from pages.ui.fragment import fragment
from pages.ui.pieces import made, models, panels, shared

lesson, run = shell.enter("pieces", ("charngram",))


@fragment
def page() -> None:
    typed = panels.ask(lesson)
    panels.show(run, typed)
    st.subheader("What do two words share?", anchor=False)
    shared.show(run, typed)
    st.subheader("A vector for a word that was never seen", anchor=False)
    made.show(run, typed)
    st.subheader("Three ways to give a word a vector", anchor="models")
    with place.panel("models"):
        models.show(typed)


page()
shell.sources(lesson, run)
