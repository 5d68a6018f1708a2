"""Scale: why reading all words at once won, what size buys, and what a model learns from its own prompt."""

import streamlit as st

from pages.ui import shell
from pages.ui.attention import scale_laws, scale_prompt, scale_time
from pages.ui.recurrent import runs

lesson, run = shell.enter("scale", (*runs.CELLS, "ngram"))


@st.fragment
def page() -> None:
    st.subheader("One word after the other, or all at once?", anchor=False)
    scale_time.show(lesson.example)
    st.subheader("How large, and what for?", anchor=False)
    scale_laws.show()
    st.subheader("What does it learn from its own prompt?", anchor=False)
    scale_prompt.show(run)


page()
shell.sources(lesson, run)
