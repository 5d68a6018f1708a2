"""Corpus duel: one kind of model on two texts; for which of them a typed sentence speaks, and what both write together."""

import streamlit as st

from engine import curriculum
from pages.ui import live, shell
from pages.ui.own import duel, duel_blend, duel_sides
from pages.ui.plain import escape

lesson = shell.head("duel")
a, b, cut = duel_sides.choose()
try:
    pairs = duel_sides.open_both(a, b, cut)
except (LookupError, ValueError, MemoryError) as problem:
    st.error(f"{escape(str(problem)) or 'This text is too large to count here'}. Choose another side.")
    st.stop()
for sentence in duel_sides.about(pairs):
    st.caption(sentence)
if duel_sides.same_text(pairs):
    st.page_link(f"pages/{curriculum.lesson('training').page}", label="Train the same model on a second text")
live.show(shell.opening(lesson), lambda: duel.stage(pairs))


@st.fragment
def together() -> None:
    duel_blend.show(pairs, duel.titles((pairs[0][1], pairs[1][1])))


together()
shell.sources(lesson)
