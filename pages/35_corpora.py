"""Your texts: bring them, see what they are made of, and take them to a lesson or to a training."""

import streamlit as st

from pages.ui import shell
from pages.ui.own import corpora, corpora_add, corpora_job, corpora_manage, corpora_read, corpora_statistics

lesson = shell.head("corpora")
st.session_state.pop(corpora_job.BUSY, None)
corpora_add.show()
corpora.list_all(alone=corpora_job.BUSY not in st.session_state)


@st.fragment
def one() -> None:
    chosen = corpora.choose()
    corpora_manage.show(chosen)
    part = st.segmented_control("Look at", corpora.PARTS, key="text_part", bind="query-params", default=corpora.PARTS[0], required=True)
    if part == corpora.READ:
        corpora_read.show(chosen)
    else:
        corpora_statistics.show(chosen, part or corpora.PARTS[0])


one()
shell.sources(lesson)
