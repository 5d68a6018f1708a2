"""Your texts: bring them, see what they are made of, and take them to a lesson or to a training."""

import streamlit as st

from pages.ui import place, shell
from pages.ui.corpora import add, job, manage, read, shown, statistics

lesson = shell.head("corpora")
st.session_state.pop(job.BUSY, None)
add.show()
shown.list_all(alone=job.BUSY not in st.session_state)


@st.fragment
def one() -> None:
    chosen = shown.choose()
    manage.show(chosen)
    part = st.segmented_control(
        "Look at",
        shown.PARTS,
        key="text_part",
        bind="query-params",
        default=place.part(shown.PARTS) or shown.PARTS[0],
        required=True,
    )
    with place.panel(part or shown.PARTS[0]):
        if part == shown.READ:
            read.show(chosen)
        else:
            statistics.show(chosen, part or shown.PARTS[0])


one()
shell.sources(lesson)
