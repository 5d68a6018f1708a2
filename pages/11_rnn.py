"""Recurrent network: one small loop over the typed text, the same weights at every step, every number of a step."""

import streamlit as st

from pages.ui import cache, live, shell
from pages.ui.recurrent import bank, sharing, unrolled, uses

PARTS = ("A text of any length", "Two banks, one state", "Where it is used")

lesson, run = shell.enter("rnn")
live.show(shell.opening(lesson), lambda: unrolled.stage(run, cache.model(run)), cache.is_open(run))


@st.fragment
def page() -> None:
    try:
        model = cache.model(run)
    except ValueError:  # a damaged run: the live part above has said so
        return
    # one at a time: a browser that has many charts below answers a key more slowly
    part = st.segmented_control("Look closer", PARTS, key="part", bind="query-params", default=PARTS[0], required=True)
    if part == PARTS[1]:
        bank.show_pair(run, model)
    elif part == PARTS[2]:
        uses.show_uses()
    else:
        sharing.show_counts(run, model)


page()
shell.sources(lesson, run)
