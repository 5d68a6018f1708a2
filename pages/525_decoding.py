"""Generation: from the distribution of the next token to text: what the rules cut, futures, beams,
and what reading its own text costs."""

import streamlit as st

from engine.core.cell_card import listed
from engine.live import cache
from engine.stages.decoding import panels
from pages.ui import live, shell, typed
from pages.ui.decoding import exposure
from pages.ui.decoding import latency as decoding_latency

lesson, run = shell.enter("decoding", also=(*listed(), "ngram"))
live.show(
    shell.opening(lesson, run), lambda: panels.stage(run, cache.model(run)), cache.is_open(run)
)


@st.fragment
def forcing() -> None:
    exposure.part(run, typed.text(lesson.example))


@st.fragment
def latency() -> None:
    decoding_latency.part(run)


forcing()
latency()
shell.sources(lesson, run)
