"""Cross-attention: an encoder reads English, a decoder writes French and looks at the English with every word."""

from dataclasses import replace

import streamlit as st

from pages.ui import cache, live, shell
from pages.ui.attention import translation, translation_heads, translation_sizes

PARTS = ("Count the parameters", "Which head follows the words", "The words it knows")
lesson, run = shell.enter("translation")
live.show(replace(shell.opening(lesson), prompt=translation.prompt(run)), lambda: translation.stage(run, cache.model(run)), cache.is_open(run))


@st.fragment
def page() -> None:
    try:
        model = cache.model(run)
    except ValueError:  # a damaged run: the live part above has said so
        return
    part = st.segmented_control("Look closer", PARTS, key="translation_part", bind="query-params", default=PARTS[0], required=True)
    if part == PARTS[1]:
        translation_heads.show(run, model)
    elif part == PARTS[2]:
        st.markdown(translation.known(model))
    else:
        translation_sizes.show(run, model)


page()
shell.sources(lesson, run)
