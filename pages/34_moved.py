"""Words that moved: one word in two texts, two trainings or two moments, beside what mere chance moves."""

import streamlit as st

from pages.ui import shell
from pages.ui.meaning import moved, moved_places, moved_words

lesson = shell.head("moved")


@st.fragment
def page() -> None:
    chosen = moved.choose()
    if chosen is None:
        return
    typed = moved_words.ask(lesson)
    moved_words.table(chosen, typed)
    left, right = st.columns(2, gap="medium")
    with left:
        moved_words.chance(chosen, typed)
    with right:
        moved_words.plane(chosen, typed)
    moved_words.farthest(chosen)


@st.fragment
def places() -> None:
    st.subheader("One word, a vector for every place", anchor="places")
    moved_places.show()


page()
places()
shell.sources(lesson)
