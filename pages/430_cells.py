"""Compare cells: the same task, the same text and the same sizes for all; what each remembers and
what it costs."""

import streamlit as st

from pages.ui import fold, place, shell
from pages.ui.cells import chooser, contest, costs, dual, reach, stacked, together, tries
from pages.ui.fragment import fragment

lesson = shell.head("cells")


@fragment
def page() -> None:
    row = st.container(horizontal=True, gap="small", vertical_alignment="center")
    cells = contest.cells(row)
    if not cells:
        st.info("Choose at least one cell above, or better two.")
        return
    chosen = contest.choose(cells, row)
    tries.show(row)
    contest.show(chosen)
    st.markdown(
        "Each of these ten cells has been presented as an improvement. Here they get tasks in"
        " which the right answer lies a known distance back. All are trained in the same way"
        " and tested on new streams."
    )
    contest.example(chosen)
    with st.expander("What does it cost?", expanded=True):
        costs.show(cells)
    with st.container(key="chooser"):
        fold.show("LSTM or GRU? All that was measured, side by side", chooser.show, "chooser")
    with st.expander("A stack of layers"), place.panel("stack"):
        stacked.show()
    with st.expander("How far does the gradient reach in an untrained cell?"):
        reach.show(cells)
    with st.expander("The same text in all models"):
        together.show()
    dual.show()


page()
shell.sources(lesson)
