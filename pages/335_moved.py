"""Words that moved: one word in two texts, two trainings or two moments, beside what mere chance
moves."""

import streamlit as st

from pages.ui import ask, place, shell
from pages.ui.fragment import fragment
from pages.ui.moved import chosen as moved
from pages.ui.moved import places as moved_places
from pages.ui.moved import words

lesson = shell.head("moved")


@fragment
def page() -> None:
    row = ask.line()
    typed = words.ask(lesson, row)
    chosen = moved.choose(row)
    if chosen is None:
        return
    left, right = st.columns(2, gap="medium")
    with left:
        words.plane(chosen, typed)
    with right:
        words.chance(chosen, typed)
    with place.panel("compared"):
        words.table(chosen, typed)
    with place.panel("farthest"):
        words.farthest(chosen)


@fragment
def places() -> None:
    st.subheader("One word, a vector for each occurrence", anchor="places")
    moved_places.show()


page()
places()
shell.sources(lesson)
