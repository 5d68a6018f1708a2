"""BERT: mask words and see what is guessed from both sides; one word in two meanings; what was
masked, counted, changed."""

import streamlit as st

from engine.lessons.bert import panels
from engine.live import cache
from engine.models.bert import Bert
from pages.ui import closer, live, shell
from pages.ui.bert import counts, limits, senses

lesson, run = shell.enter("bert")
live.show(shell.opening(lesson, run), lambda: panels.opened(run), cache.is_open(run))
st.markdown(panels.about(run))
closer.show(
    run,
    Bert,
    {
        "One word, several meanings": lambda model: senses.show(run, model),
        "What is masked": lambda model: counts.masking(run, model),
        "How large": lambda model: counts.size(),
        "Descendants": lambda model: counts.family(),
        "How good, and limits": lambda model: limits.show(run, model),
    },
    key="bert_part",
)
shell.sources(lesson, run)
