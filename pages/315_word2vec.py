"""word2vec: one update on the typed text, step by step; skip-gram and CBOW, three output layers,
and how the vectors move."""

import streamlit as st

from pages.ui import place, shell
from pages.ui.fragment import fragment
from pages.ui.word2vec import chosen, outputs, tables, tries, update, window

OUTPUTS = {
    "softmax": "Full softmax: every word takes part",
    "negative": "Negative sampling: noise words and their probabilities",
    "hierarchical": "Hierarchical softmax: a tree of questions",
}
lesson = shell.head("word2vec")


@fragment
def page() -> None:
    now = chosen.controls(lesson)
    if now is None:
        return
    if not chosen.finite(now):
        st.error("The numbers have diverged. Reset, and choose a smaller learning rate.")
        return
    left, right = st.columns(2, gap="large")
    with left:
        window.window(now)
    with right:
        window.lookup(now)
    tries.look()
    st.markdown(
        "A network that consists of just two tables learns to guess the words around a word. Its"
        " rows become the word vectors. This is **the next update on your text**, with all its"
        " numbers: above the window and the vector that is looked up, below what follows from"
        " them. The buttons apply it and move on to the next word."
    )
    st.subheader("Scores, probabilities, errors", anchor="scores")
    update.answers(now)
    st.subheader("How the vectors move", anchor=False)
    with place.panel("rows"):
        update.moves(now)
    update.course(now)
    st.subheader(OUTPUTS[now.setting.output], anchor="output")
    with place.panel("output"):
        outputs.show(now)
    st.subheader("Skip-gram and CBOW at this centre", anchor="both")
    with place.panel("both"):
        tables.both(now)
    st.subheader("Which table holds the word vectors?", anchor=False)
    tables.cosines(now)


page()
shell.sources(lesson)
