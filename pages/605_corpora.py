"""Your texts: bring them, see what they are made of, and take them to a lesson or to a training."""

from functools import partial

import streamlit as st

from pages.ui import closer, shell
from pages.ui.corpora import add, job, manage, read, shown, statistics
from pages.ui.fragment import fragment

PARTS = {name: partial(statistics.show, draw) for name, draw in statistics.PARTS.items()}

lesson = shell.head("corpora")
st.session_state.pop(job.BUSY, None)
add.show()


@fragment
def one() -> None:
    chosen = shown.choose()
    closer.one_of(
        {**PARTS, "Read and search": read.show},
        "text_part",
        chosen,
        label="Look at",
        label_visibility="collapsed",
    )
    manage.show(chosen)


one()
shown.list_all(alone=job.BUSY not in st.session_state)
shell.sources(lesson)
