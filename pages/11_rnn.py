"""Recurrent network: one small loop over the typed text, the same weights at every step, every number of a step."""

import streamlit as st

from pages.ui import cache, live, shell
from pages.ui.recurrent import bank, sharing, unrolled, uses

lesson, run = shell.enter("rnn")
live.show(shell.opening(lesson), lambda: unrolled.stage(run, cache.model(run)), cache.is_open(run))


@st.fragment
def page() -> None:
    try:
        model = cache.model(run)
    except ValueError:  # a damaged run: the live part above has said so
        return
    sharing.show_counts(run, model)
    bank.show_pair(run, model)
    uses.show_uses()


page()
shell.sources(lesson, run)
