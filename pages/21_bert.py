"""BERT: mask words and see what is guessed from both sides; one word in two meanings; what was masked, counted, changed."""

import streamlit as st

from pages.ui import cache, closer, live, shell
from pages.ui.attention import bert, bert_counts, bert_limits, bert_senses

lesson, run = shell.enter("bert")
st.markdown(bert.about(run))
live.show(shell.opening(lesson), lambda: bert.opened(run), cache.is_open(run))
closer.show(run, {
    "One word, several meanings": lambda model: bert_senses.show(run, model),
    "What is masked": lambda model: bert_counts.masking(run, model),
    "How large": lambda model: bert_counts.size(),
    "Descendants": lambda model: bert_counts.family(),
    "How good, and limits": lambda model: bert_limits.show(run, model),
}, key="bert_part")  # fmt: skip
shell.sources(lesson, run)
