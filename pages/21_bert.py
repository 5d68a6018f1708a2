"""BERT: mask words and see what is guessed from both sides; one word in two meanings; what was masked, counted, changed."""

import streamlit as st

from pages.ui import cache, live, shell
from pages.ui.attention import bert, bert_counts, bert_limits, bert_senses

PARTS = ("One word, several meanings", "What is masked", "How large", "Descendants", "How good, and limits")

lesson, run = shell.enter("bert")
st.markdown(bert.about(run))
live.show(shell.opening(lesson), lambda: bert.opened(run), cache.is_open(run))


@st.fragment
def page() -> None:
    try:
        model = cache.model(run)
    except ValueError:  # a damaged run: the live part above has said so
        return
    part = st.segmented_control("Look closer", PARTS, key="bert_part", bind="query-params", default=PARTS[0], required=True)
    if part == PARTS[1]:
        bert_counts.masking(run, model)
    elif part == PARTS[2]:
        bert_counts.size()
    elif part == PARTS[3]:
        bert_counts.family()
    elif part == PARTS[4]:
        bert_limits.show(run, model)
    else:
        bert_senses.show(run, model)


page()
shell.sources(lesson, run)
