"""Generation: from the distribution of the next token to text: what the rules cut, futures, beams, and what reading its own text costs."""

import streamlit as st

from pages.ui import cache, live, shell
from pages.ui.attention import decoding, decoding_exposure, decoding_latency
from pages.ui.recurrent import runs

lesson, run = shell.enter("decoding", also=(*runs.CELLS, "ngram"))
live.show(shell.opening(lesson, run), lambda: decoding.stage(run, cache.model(run)), cache.is_open(run))


@st.fragment
def forcing() -> None:
    decoding_exposure.part(run, str(st.session_state.get("text", lesson.example)))


@st.fragment
def latency() -> None:
    decoding_latency.part(run)


forcing()
latency()
shell.sources(lesson, run)
