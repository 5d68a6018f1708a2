"""Compare cells: the same task, the same text and the same sizes for all; what each remembers and
what it costs."""

import streamlit as st

from pages.ui import shell
from pages.ui.cells import contest, costs, dual, reach, together, tries

lesson = shell.head("cells")
st.markdown(
    "Each of these ten cells has been presented as an improvement. Here they get tasks in"
    " which the right answer lies a known distance back. All are trained in the same way and"
    " tested on new streams."
)


@st.fragment
def page() -> None:
    cells = contest.cells()
    if not cells:
        st.info("Choose at least one cell above, or better two.")
        return
    st.subheader("How far back does it remember?", anchor=False)
    tries.show()
    chosen = contest.choose(cells)
    contest.example(chosen)
    contest.show(chosen)
    st.subheader("What does it cost?", anchor=False)
    costs.show(cells)
    st.subheader("How far does the gradient reach in an untrained cell?", anchor=False)
    reach.show(cells)
    st.subheader("The same text in all models", anchor=False)
    together.show()
    dual.show()


page()
shell.sources(lesson)
