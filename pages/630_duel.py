"""Corpus duel: one kind of model on two texts; for which of them a typed sentence speaks, and what
both write together."""

import streamlit as st

from engine.course import curriculum
from engine.lessons.duel import panels
from engine.live.markdown import escape
from pages.ui import live, shell
from pages.ui.duel import blend, sides
from pages.ui.fragment import fragment

lesson = shell.head("duel")
a, b, cut = sides.choose()
try:
    pairs = sides.open_both(a, b, cut)
except (LookupError, ValueError, MemoryError) as problem:
    st.error(
        f"{escape(str(problem)) or 'This text is too large to count here'}. Choose another side."
    )
    st.stop()
live.show(shell.opening(lesson, None, a.id, b.id, cut), lambda: panels.stage(pairs))
for sentence in sides.about(pairs):
    st.caption(sentence)
if sides.same_text(pairs):
    st.page_link(
        f"pages/{curriculum.lesson('training').page}", label="Train the same model on a second text"
    )


@fragment
def together() -> None:
    blend.show(pairs, panels.titles((pairs[0][1], pairs[1][1])))


together()
shell.sources(lesson)
