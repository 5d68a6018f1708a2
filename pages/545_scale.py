"""Scale: why reading all words at once won, what size buys, and what a model learns from its own
prompt."""

import streamlit as st

from engine.core.cell_card import listed
from pages.ui import shell
from pages.ui.fragment import fragment
from pages.ui.scale import laws, prompt, time

lesson, run = shell.enter("scale", (*listed(), "ngram"))


@fragment
def page() -> None:
    time.show(lesson.example)
    st.subheader("How large, and what for?", anchor="sizes")
    laws.show()
    st.subheader("What does it learn from its own prompt?", anchor=False)
    prompt.show(run)


page()
shell.sources(lesson, run)
