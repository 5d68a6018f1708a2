"""Surgery on a Transformer: heads, parts and single weights switched off or scaled, and where two sentences are told apart."""

import streamlit as st

from pages.ui import cache, live, shell
from pages.ui.attention import patching, patching_pair

lesson, run = shell.enter("patching", ("bert",))
live.show(shell.opening(lesson), lambda: patching.stage(run, cache.model(run)), cache.is_open(run))


@st.fragment
def page() -> None:
    try:
        model = cache.model(run)
    except ValueError:  # a damaged run: the live part above has said so
        return
    patching_pair.show(run, model)


page()
shell.sources(lesson, run)
