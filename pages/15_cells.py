"""Compare cells: the same task, the same text and the same sizes for all; what each remembers and what it costs."""

import streamlit as st

from pages.ui import shell
from pages.ui.recurrent import contest, costs, dual, reach, together, tries

lesson = shell.head("cells")
st.markdown(
    "Ten cells have been called better than the one before. Here they are given tasks whose right answer is known and stands a known distance back. "
    "All are trained alike, and asked on streams that none has seen."
)


@st.fragment
def page() -> None:
    cells = contest.cells()
    if not cells:
        st.info("Choose a cell above, better two.")
        return
    st.subheader("How far back does it remember?", anchor=False)
    tries.show()
    chosen = contest.choose(cells)
    contest.example(chosen)
    contest.show(chosen)
    st.subheader("What does it cost?", anchor=False)
    costs.show(cells)
    st.subheader("How far does the gradient reach before training?", anchor=False)
    reach.show(cells)
    st.subheader("The same text through all of them", anchor=False)
    together.show()
    dual.show()


page()
shell.sources(lesson)
