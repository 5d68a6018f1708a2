"""Cross-attention: an encoder reads English, a decoder writes French and looks at the English with every word, or has only what it remembers."""

from dataclasses import replace

import streamlit as st

from pages.ui import cache, closer, live, shell
from pages.ui.attention import translation, translation_heads, translation_lengths, translation_sizes

lesson, run = shell.enter("translation", also=("seq2seq",))
live.show(replace(shell.opening(lesson), prompt=translation.prompt(run)), lambda: translation.stage(run, cache.model(run)), cache.is_open(run))
closer.show(run, {
    "Count the parameters": lambda model: translation_sizes.show(run, model),
    "How long a sentence it can take": lambda model: translation_lengths.show(run),
    "Which head follows the words": lambda model: translation_heads.show(run, model),
    "The words it knows": lambda model: st.markdown(translation.known(model)),
}, key="translation_part")  # fmt: skip
shell.sources(lesson, run)
